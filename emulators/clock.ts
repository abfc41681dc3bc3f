/** What an emulator takes for the time: that of this machine, or that of a sandbox whose clock people move. */
export type Clock = {
  now: () => Date
  /** Asks again what time it is; before each request, because a sandbox goes from one due moment to the next. */
  read: () => Promise<void>
}

export const REAL_CLOCK: Clock = { now: () => new Date(), read: () => Promise.resolve() }

/** Every sandbox has this key. */
const DEMO_KEY = 'key_test_demo:secret_test_demo'
const PATIENCE_MS = 5_000

/** The clock of the sandbox at this address; while it does not answer, time goes on from what it said last. */
export async function followSandbox(sandboxUrl: string): Promise<Clock> {
  const ask = async (): Promise<number> => {
    const answer = await fetch(new URL('/api/v1/sandbox/clock', sandboxUrl), {
      headers: { authorization: `Basic ${Buffer.from(DEMO_KEY).toString('base64')}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const { data } = (await answer.json()) as { data?: { now?: string } }
    const now = Date.parse(data?.now ?? '')
    if (!answer.ok || Number.isNaN(now)) throw new Error(`${sandboxUrl} answers ${answer.status}`)
    return now - Date.now()
  }
  let offset = await ask()
  return {
    now: () => new Date(Date.now() + offset),
    read: () =>
      ask().then(
        found => void (offset = found),
        () => undefined,
      ),
  }
}
