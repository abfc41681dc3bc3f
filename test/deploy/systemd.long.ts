import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../harness/postgres/standby.ts'
import { waitFor } from '../harness/wait.ts'
import { read, readEnv, ROOT } from './files.ts'
import { skipUnsealed, spawnSealed } from './sealed.ts'

/** The commands of the guide and of the unit, without systemd. Needs the registry. */
const folder = mkdtempSync(join(tmpdir(), 'bursar-unit-'))
const guide = readFileSync(join(ROOT, 'docs/operator/deployment.md'), 'utf8')

/** As the guide prints it, in a checkout, with another folder for /opt/bursar. */
function follow(command: RegExp, home: string): void {
  const line = guide.split('\n').find(one => command.test(one)) ?? ''
  assert.match(line, command)
  const { PATH = '', ...env } = process.env
  // As an operator has it: npm and no Node of ours.
  const path = PATH.split(':').filter(one => !one.includes('node_modules'))
  execFileSync('sh', ['-c', line.replaceAll('/opt/bursar', home).replace('./bursar-', `${folder}/bursar-`)], {
    cwd: ROOT,
    env: { ...env, PATH: path.join(':'), npm_config_loglevel: 'error', npm_config_pack_destination: folder },
    stdio: 'pipe',
  })
}

test(
  'what the guide installs is what the unit starts: with its own PostgreSQL, without privileges, until it is told to stop',
  { skip: skipUnsealed(), timeout: 500_000 },
  async t => {
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const home = join(folder, 'opt')
    mkdirSync(home)
    follow(/^npm pack/, home)
    follow(/^install .*package\.json/, home)
    follow(/^npm install/, home)

    const unit = read('systemd/bursar.service')
    const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
    const port = await freePort()
    const state = `/var/lib/${setting('StateDirectory')}`
    const server = spawnSealed(
      {
        folder: home,
        // PostgreSQL wants a user with a name: nobody.
        user: 65_534,
        cwd: setting('WorkingDirectory'),
        writable: [state],
        env: {
          ...readEnv('systemd/bursar.env'),
          PATH: '/usr/bin:/bin',
          MASTER_KEY: 'ab'.repeat(32),
          PORT: String(port),
          DRAIN_SECONDS: '0',
        },
      },
      setting('ExecStart').split(' '),
    )
    t.after(() => server.kill('SIGKILL'))
    let out = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', part => (out += String(part)))
    const url = `http://127.0.0.1:${port}`
    await waitFor(async () => (await fetch(`${url}/readyz`)).ok || server.exitCode !== null, 'readiness', {
      limitMs: 90_000,
    }).catch((error: unknown) => assert.fail(`${String(error)}\n${out}`))
    assert.equal((await fetch(`${url}/console`)).status, 200)
    server.kill('SIGTERM')
    assert.deepEqual(await once(server, 'close'), [0, null], out)
    assert.match(out, /Stopped\./)
  },
)
