import { setTimeout } from 'node:timers/promises'

export type SignedEvent = { rawBody: Buffer; headers: Record<string, string> }

const EVERY_MS = 500
const TRIES = 20

/** In order, each again and again until it is answered with 2xx. */
export async function postEvents(outbox: SignedEvent[], callbackUrl: () => string): Promise<never> {
  let tries = 0
  for (;;) {
    const [event] = outbox
    const isTaken = event !== undefined && (await isAccepted(event, callbackUrl()))
    if (event !== undefined && (isTaken || ++tries >= TRIES)) {
      outbox.shift()
      tries = 0
    }
    // The server keeps the process alive, not the wait.
    if (!isTaken) await setTimeout(EVERY_MS, undefined, { ref: false })
  }
}

async function isAccepted({ rawBody, headers }: SignedEvent, callbackUrl: string): Promise<boolean> {
  const request = {
    method: 'POST',
    body: new Uint8Array(rawBody),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  return fetch(callbackUrl, request).then(
    ({ ok }) => ok,
    () => false,
  )
}
