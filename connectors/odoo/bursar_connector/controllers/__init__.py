from . import endpoints
