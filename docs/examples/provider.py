"""A provider in one file: an OpenAI-compatible service whose models are `mycloud/MODEL`.

    MYCLOUD_API_KEY=... python docs/examples/provider.py models --ping mycloud/some-model

`MYCLOUD_BASE_URL` leads to another address. An endpoint that needs no name of its own needs no
file either: `NAME@http://host:port/v1` is a model. This program is `hyperspace` with one provider
more.
"""

from hyperspace.cli import start
from hyperspace.models.providers import hosted, register

register(hosted("mycloud", "https://api.mycloud.example/v1"))

if __name__ == "__main__":
    start.entry()
