import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { examineCells } from '../../../src/cells/status.service.ts'
import { moveSchool } from '../../../src/cells/move/move.service.ts'
import { STEPS, type Step } from '../../../src/cells/move/move.rules.ts'
import { run, start, type Env } from '../../cli/command-line.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { Client, DEMO, GROUP } from '../../harness/client.ts'
import { PAY } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { prepareProxy, WITHOUT_HAPROXY } from '../proxy.ts'
import { dyingLog, expectBooksAgree, expectNothingLeftBehind, Killed } from './checks.ts'
import { joinCells } from './joined.ts'
import { startTwoCells } from './two-cells.ts'

test(
  'a move that was killed is named with what to type, and one whose school had left goes on by itself',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const proxy = await prepareProxy(t)
    const cells = await startTwoCells(t)
    const { north, south } = cells
    const { ctx } = north.bursar.app
    const { proxies } = await joinCells(t, cells, proxy)
    const env: Env = {
      MASTER_KEY: TEST_MASTER_KEY,
      DEMO: 'off',
      DATABASE_URL: north.address,
      CELL_MAPS: proxy.maps,
      CELL_PROXIES: proxy.socket,
    }
    const dieAfter = async (code: string, step: Step): Promise<void> => {
      const before = STEPS.slice(0, STEPS.indexOf(step)).map(one => `${one} done`)
      const options = cells.moving(code, north, south)
      await assert.rejects(moveSchool({ ...options, log: dyingLog(cells.log, before) }), Killed)
    }
    await dieAfter('demo-school', 'leave')
    await dieAfter('demo-group', 'catch_up')

    const { code, out } = await run(env, 'cells', 'status')
    assert.equal(code, 1)
    assert.match(
      out,
      /^demo-school is answered 503: its move to south stopped at leave\. bursar cells sync --watch goes on with it.*: bursar cells move demo-school --to south$/m,
    )
    assert.match(
      out,
      /^demo-group works in north; its move to south stopped at catch_up\. Go on: bursar cells move demo-group --to south; or end it: .* --back$/m,
    )
    const { problems = [] } = (await examineCells(ctx, { cell: 'north', proxies })) ?? {}
    assert.match(problems.join('\n'), /demo-school is answered 503.*\n.*demo-group works in north/)

    const demo = new Client(proxy.url, DEMO)
    assert.equal((await demo.get(`${PAY}/orders`)).status, 503)
    const watch = start(env, 'src/cli/main.ts', 'cells', 'sync', '--watch')
    const said = text(watch.stdout)
    await waitFor(async () => (await demo.get(`${PAY}/orders`)).status === 200, 'the school in its new cell')
    await waitFor(async () => (await cells.log.findOpen('demo-school')) === null, 'the end of its move')
    watch.kill('SIGTERM')
    if (watch.exitCode === null) await once(watch, 'exit')
    assert.match(await said, /demo-school: its move, which was killed, has ended/)
    await expectBooksAgree(south, 'demo-school')

    // The other works where it is, and waits for a person.
    assert.equal((await new Client(proxy.url, GROUP).get(`${PAY}/orders`)).status, 200)
    assert.notEqual(await cells.log.findOpen('demo-group'), null)
    const back = await run(env, 'cells', 'move', 'demo-group', '--to', 'south', '--back')
    assert.equal(back.code, 0, back.err)
    assert.equal((await run(env, 'cells', 'status')).code, 0)
    await expectNothingLeftBehind(north)
  },
)
