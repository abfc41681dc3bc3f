import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { contextOfImage } from '../../tools/release/artifacts.ts'
import { startTestCluster, stopTestCluster } from '../harness/postgres/cluster.ts'
import { waitFor } from '../harness/wait.ts'
import { freePort } from '../cli/developer/listening.ts'
import { readStages, readYaml, ROOT, type Stage } from './files.ts'
import { skipUnsealed, spawnSealed } from './sealed.ts'

/** The steps of the container file without a container: what is copied, what is run, and how it ends. Needs the registry. */
const HOME = '/opt/bursar'
const folder = mkdtempSync(join(tmpdir(), 'bursar-image-'))

/** Where a path of a stage lies here. */
function placeOf(stage: string, path: string): string {
  return join(folder, stage || 'final', path.startsWith('/') ? path.slice(HOME.length) : path)
}

/** As `docker build` copies it. */
function copyContext(to: string): void {
  for (const path of contextOfImage()) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(ROOT, path), join(to, path))
  }
}

function build({ name, instructions }: Stage, context: string): void {
  mkdirSync(placeOf(name, '.'), { recursive: true })
  for (const { name: step, text } of instructions) {
    if (step === 'COPY') {
      const [, from, paths = ''] = /^(?:--from=(\S+) )?(?:--chown=\S+ )?(.*)$/.exec(text) ?? []
      const sources = paths.split(' ')
      const target = sources.pop() ?? '.'
      // A library and the place of a volume: this machine has its own.
      if (target.startsWith('/') && !target.startsWith(HOME)) continue
      for (const source of sources) {
        const path = from === undefined ? join(context, source) : placeOf(from, source)
        const isInto = target.endsWith('/') || target === '.'
        const to = isInto && source !== '.' ? join(target, source.split('/').at(-1) ?? '') : target
        cpSync(path, placeOf(name, to), { recursive: true, verbatimSymlinks: true })
      }
    }
    if (step === 'RUN')
      execFileSync('sh', ['-c', text], {
        cwd: placeOf(name, '.'),
        // The Node of the base image; npm is found behind it.
        env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
        stdio: 'pipe',
      })
  }
}

function settingOf(stage: Stage, name: string): string {
  return stage.instructions.findLast(one => one.name === name)?.text ?? ''
}

test(
  'the image holds what Bursar needs: it starts without privileges or a writable disk, is healthy, and drains',
  { skip: skipUnsealed(), timeout: 400_000 },
  async t => {
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const context = join(folder, 'context')
    copyContext(context)
    const stages = readStages()
    for (const stage of stages) build(stage, context)
    const final = stages.at(-1)
    assert.ok(final !== undefined)
    assert.equal(
      existsSync(placeOf('', 'node_modules/typescript')),
      false,
      'what only builders need is in it',
    )
    const megabytes = Number(
      execFileSync('du', ['-sm', placeOf('', '.')], { encoding: 'utf8' }).split('\t')[0],
    )
    t.diagnostic(`${megabytes} MB without the base image`)
    assert.ok(megabytes < 330, `${megabytes} MB`)

    const [port, databasePort] = [await freePort(), await freePort()]
    const settings = ['listen_addresses=127.0.0.1']
    await startTestCluster(join(folder, 'db'), { port: databasePort, settings })
    t.after(() => stopTestCluster(join(folder, 'db')))
    const seal = {
      folder: placeOf('', '.'),
      user: Number(settingOf(final, 'USER').split(':')[0]),
      cwd: settingOf(final, 'WORKDIR'),
      env: {
        ...Object.fromEntries(
          settingOf(final, 'ENV')
            .split(/ +/)
            .map(pair => pair.split('=')),
        ),
        PORT: String(port),
        DATABASE_URL: `postgres://bursar@127.0.0.1:${databasePort}/postgres`,
        MASTER_KEY: 'ab'.repeat(32),
        BURSAR_MODE: 'live',
        DRAIN_SECONDS: '1',
        PUBLIC_URL: 'https://fees.example.in',
        TRUST_PROXY: '127.0.0.1',
      },
    }
    const run = async (command: readonly string[]): Promise<{ code: number; out: string }> => {
      const child = spawnSealed(seal, command)
      let out = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (out += String(part)))
      const [code] = (await once(child, 'close')) as [number]
      return { code, out }
    }
    const [healthCheck = ''] = /\[.*\]/.exec(settingOf(final, 'HEALTHCHECK')) ?? []
    const isHealthy = async (): Promise<boolean> =>
      (await run(JSON.parse(healthCheck) as string[])).code === 0
    assert.equal(await isHealthy(), false, 'healthy without a process')
    const { services } = readYaml('compose.yml')
    const migrated = await run(services.migrate.command as string[])
    assert.match(migrated.out, /The database is at version/)

    const server = spawnSealed(seal, JSON.parse(settingOf(final, 'CMD')) as string[])
    t.after(() => server.kill('SIGKILL'))
    let out = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', part => (out += String(part)))
    const url = `http://127.0.0.1:${port}`
    await waitFor(async () => (await fetch(`${url}/readyz`)).ok || server.exitCode !== null, 'readiness', {
      limitMs: 60_000,
    }).catch((error: unknown) => assert.fail(`${String(error)}\n${out}`))
    assert.ok(await isHealthy())
    for (const path of ['/console', '/docs/', '/openapi.json'])
      assert.equal((await fetch(url + path)).status, 200, path)

    server.kill('SIGTERM')
    const exit = once(server, 'close')
    await waitFor(async () => (await fetch(`${url}/readyz`)).status === 503, 'readiness to say no')
    assert.equal((await fetch(`${url}/healthz`)).status, 200, 'closed its doors while it drained')
    assert.deepEqual(await exit, [0, null])
    assert.match(out, /Stopped\./)
  },
)
