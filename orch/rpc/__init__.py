"""How the API and the workers talk: contract, serializer, faults, clients."""
