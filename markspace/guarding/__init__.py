"""What the guard is made of: admission, stages, content policies, restriction."""
