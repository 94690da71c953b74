"""Parts of the guard: admission, stages, content policies, restriction."""
