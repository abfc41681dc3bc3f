import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMisspelt, ALL_SETTINGS } from '../../src/app/config/settings.ts'
import { readConfig } from '../../src/app/config.ts'
import { read, readEnv, readManifests, readYaml, type Tree } from './files.ts'

const FILLED_IN = { MASTER_KEY: 'ab'.repeat(32), METRICS_TOKEN: 'a-token-of-sixteen' }
const CELLS = ['north', 'south']

const compose = readYaml('cells/compose.yml')
const services: Record<string, Tree> = compose.services

/** The files that a service reads, as an operator fills them in. */
function environmentOf({ env_file: files, environment }: Tree): Record<string, string> {
  const read = files.map((name: string) => readEnv(`cells/${name.replace('.env', '.example.env')}`))
  return Object.assign({}, ...read, environment, FILLED_IN) as Record<string, string>
}

test('the settings of every process of two cells are those of a live Bursar, and name its cell', () => {
  const processes = Object.entries(services).filter(([, { image }]) => image.startsWith('bursar:'))
  assert.deepEqual(
    processes.map(([name]) => name),
    ['north-api', 'north-worker', 'south-api', 'south-worker', 'sync'],
  )
  for (const [name, service] of processes) {
    const env = environmentOf(service)
    const config = readConfig(env)
    assert.equal(config.mode, 'live', name)
    assert.equal(config.cell, name === 'sync' ? 'north' : name.split('-')[0])
    assert.match(
      config.databaseUrl ?? '',
      new RegExp(`@${config.cell}-database:5432,${config.cell}-standby:5432/`),
    )
    assert.deepEqual(findMisspelt(env), [])
    assert.deepEqual(
      Object.keys(env).filter(one => !Object.hasOwn(ALL_SETTINGS, one)),
      [],
    )
    assert.equal(service.read_only, true)
  }
  for (const cell of CELLS) assert.equal(readConfig(environmentOf(services[`${cell}-api`])).role, 'api')
})

const placeOf = (service: Tree, volume: string): string =>
  service.volumes.find((one: string) => one.startsWith(`${volume}:`)).split(':')[1]

test('proxy and sync share the maps and the admin socket, as the proxy’s configuration names them', () => {
  const { sync, proxy } = services
  const { proxies } = readConfig(environmentOf(sync))
  assert.equal(proxies.folder, placeOf(sync, 'maps'))
  assert.equal(proxy.environment.BURSAR_MAPS, placeOf(proxy, 'maps'))
  const [, socket] = /presetenv BURSAR_ADMIN (\S+)/.exec(read('haproxy/haproxy.cfg')) ?? []
  assert.deepEqual(proxies.sockets, [socket])
  assert.ok(socket?.startsWith(placeOf(proxy, 'haproxy')))
  assert.equal(placeOf(sync, 'haproxy'), placeOf(proxy, 'haproxy'))
  // A new volume takes the owner of the folder in the image.
  assert.match(read('Dockerfile'), new RegExp(`--chown=65532:65532 \\S+ ${proxies.folder}$`, 'm'))
  assert.equal(proxy.user, '65532:65532')
  for (const cell of CELLS) assert.equal(services[`${cell}-standby`].environment.PRIMARY, `${cell}-database`)
})

const envOf = ({ env }: Tree): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }: Tree) => [name, value]))

test('on Kubernetes a proxy reads the maps that the process beside it writes, and they outlive both', () => {
  const [stateful] = readManifests('cells/kubernetes/proxy/proxy.yml')
  const { containers } = stateful.spec.template.spec
  const [haproxy, sync]: Tree[] = containers
  assert.equal(envOf(sync).CELL_MAPS, envOf(haproxy).BURSAR_MAPS)
  for (const container of containers)
    assert.ok(
      container.volumeMounts.some(({ name, mountPath }: Tree) => name === 'maps' && mountPath === '/maps'),
    )
  assert.equal(stateful.spec.volumeClaimTemplates[0].metadata.name, 'maps')
  const config = readConfig({
    ...readEnv('cells/kubernetes/proxy/settings.env'),
    ...readEnv('kubernetes/secrets.example.env'),
    ...envOf(sync),
    ...FILLED_IN,
  })
  assert.equal(config.mode, 'live')
})
