import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { assertNoStall } from '../harness/processes/stalls.ts'
import { CLIENTS, type Client } from './clients.ts'
import type { Hostile } from './hostile.ts'

/** As many as any job asks at a time; a mail server is asked by as many as there are connections to it. */
const AT_ONCE = { http: 16, smtp: 5 }
/** What the guide gives a process beside the 280 MB that it uses. */
const MAX_GROWTH_MB = 512 - 280
/** The largest that any client reads, and the one that most of them read. */
const SIZES = [65_536, 262_144, 1_048_576, 2_097_152]

const hostile = fork(new URL('hostile.ts', import.meta.url), { execArgv: [] })
after(() => void hostile.kill('SIGKILL'))
const [{ webPort, mailPorts, names }] = (await once(hostile, 'message')) as [Hostile]

const ADDRESSES = {
  http: names.flatMap(name => SIZES.map(bytes => `http://127.0.0.1:${webPort}/${name}/${bytes}`)),
  smtp: mailPorts.map(port => `smtp://127.0.0.1:${port}`),
}

const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

for (const [file, client] of Object.entries<Client>(CLIENTS)) {
  const { speaks } = client
  test(`whatever servers answer to ${file}, no request waits for it, and it takes little memory`, async t => {
    const before = residentMb()
    let most = before
    const watch = setInterval(() => (most = Math.max(most, residentMb())), 5)
    t.after(() => clearInterval(watch))
    for (const address of ADDRESSES[speaks])
      await assertNoStall(async () => {
        // What is wrong with the answer is for whoever asked; that it is told is all that counts here.
        await Promise.allSettled(Array.from({ length: AT_ONCE[speaks] }, () => client.ask(address)))
      }, address)
    t.diagnostic(`${ADDRESSES[speaks].length} answers, ${Math.round(most - before)} MB more`)
    assert.ok(most - before <= MAX_GROWTH_MB, `${Math.round(most - before)} MB more`)
  })
}
