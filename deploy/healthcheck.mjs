/** For a container without curl: exits with 0 if the process in it answers. */
const { BURSAR_ROLE, PORT = '8080', WORKER_PORT = '8081' } = process.env
const port = BURSAR_ROLE === 'worker' ? WORKER_PORT : PORT
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) })
process.exit(answer.ok ? 0 : 1)
