"""Taking a whole run out of Redis, by its own indexes and never by a look at all keys."""

from __future__ import annotations

from emoharbor.checkpoints.lease import RedisLease
from emoharbor.checkpoints.redis_store import RUNS, RedisStore

# KEYS: format, fence, lease, the index of threads, the run's other keys. ARGV: version, token, what
# a thread's key begins with, the index of runs, the run. One script: nobody ever sees half a run,
# and a writer that wakes up later finds no format.
DELETE = """
if redis.call('GET', KEYS[2]) ~= ARGV[2] then
  return {err = 'FENCED ' .. (redis.call('GET', KEYS[3]) or '')}
end
for _, thread in ipairs(redis.call('SMEMBERS', KEYS[4])) do
  redis.call('UNLINK', ARGV[3] .. thread)
end
redis.call('SREM', ARGV[4], ARGV[5])
redis.call('UNLINK', unpack(KEYS))
return 1
"""


async def delete_run(url: str, run: str, *names: str) -> str:
    """Deletes all that the Redis at `url` keeps of a run; returns the server's name.

    `names` are the keys that the run's owner keeps beside its checkpoints. Raises ConfigError
    where there is no such run, and CheckpointError that names the owner when it is held.
    """
    async with RedisStore.open(url, run, begin=False) as store:
        script = store.script(DELETE)
        keys = [store.key(name) for name in ("fence", "lease", "threads", "seen", *names)]
        async with RedisLease(store).held():
            words = [store.token, store.key("thread", ""), RUNS, run]
            await store.run_script(script, keys, words)
        return store.where
