"""Run many flows in one loop, with a pool for calls of plug-ins."""
