import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMisspelt, ALL_SETTINGS } from '../../src/app/config/settings.ts'
import { readConfig } from '../../src/app/config.ts'
import { FILES, UPLOADS } from '../../src/platform/limits.rules.ts'
import { read, readEnv, readManifests, readStages, readYaml, ROOT, type Tree } from './files.ts'

const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

/** What an operator has to fill in. */
const FILLED_IN = { MASTER_KEY: 'ab'.repeat(32), METRICS_TOKEN: 'a-token-of-sixteen' }

const compose = readYaml('compose.yml')
const deployments = ['api.yml', 'worker.yml'].flatMap(path =>
  readManifests(`kubernetes/${path}`).filter(({ kind }) => kind === 'Deployment'),
)

const ENVIRONMENTS: Record<string, Record<string, string>> = {
  ...Object.fromEntries(
    ['migrate', 'api', 'worker'].map(name => [
      `compose, ${name}`,
      { ...readEnv('bursar.example.env'), ...compose.services[name].environment },
    ]),
  ),
  ...Object.fromEntries(
    deployments.map(({ metadata, spec }) => [
      `Kubernetes, ${metadata.name}`,
      {
        ...readEnv('kubernetes/settings.env'),
        ...readEnv('kubernetes/secrets.example.env'),
        ...Object.fromEntries(containerOf(spec).env.map(({ name, value }: Tree) => [name, value])),
      },
    ]),
  ),
  systemd: readEnv('systemd/bursar.env'),
}

function containerOf(spec: Tree): Tree {
  return spec.template.spec.containers[0]
}

for (const [name, env] of Object.entries(ENVIRONMENTS))
  test(`the settings of a deployment are those of a live Bursar: ${name}`, () => {
    const filledIn = { ...env, ...FILLED_IN }
    assert.equal(readConfig(filledIn).mode, 'live')
    assert.deepEqual(findMisspelt(filledIn), [])
    assert.deepEqual(
      Object.keys(env).filter(one => !Object.hasOwn(ALL_SETTINGS, one)),
      [],
    )
    for (const secret of Object.keys(FILLED_IN)) assert.equal(env[secret], '', `${secret} has a value`)
  })

test('no deployment kills a process that is still draining', () => {
  // A request may take so long; see http/server.ts.
  const requestSeconds = 30
  const least = (env: Record<string, string> = {}): number =>
    readConfig({ ...env, ...FILLED_IN }).drainMs / 1_000 + requestSeconds
  for (const { metadata, spec } of deployments)
    assert.ok(
      spec.template.spec.terminationGracePeriodSeconds > least(ENVIRONMENTS[`Kubernetes, ${metadata.name}`]),
    )
  for (const name of ['api', 'worker'])
    assert.ok(parseInt(compose.services[name].stop_grace_period) > least(ENVIRONMENTS[`compose, ${name}`]))
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('systemd/bursar.service')) ?? []
  assert.ok(Number(seconds) > least(ENVIRONMENTS['systemd']))
})

test('an update on Kubernetes adds a process of the new release before it takes one of the old away', () => {
  for (const { spec } of deployments) {
    assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.ok(spec.replicas >= 2)
    assert.equal(containerOf(spec).readinessProbe.httpGet.path, '/readyz')
    // Without a database a process is well; restarting all of them would help nobody.
    assert.equal(containerOf(spec).livenessProbe.httpGet.path, '/healthz')
  }
})

test('processes run without privileges on a root file system that they cannot write to', () => {
  for (const { spec } of deployments) {
    const { securityContext } = containerOf(spec)
    assert.equal(spec.template.spec.securityContext.runAsNonRoot, true)
    assert.equal(spec.template.spec.automountServiceAccountToken, false)
    assert.equal(spec.template.spec.enableServiceLinks, false)
    assert.equal(securityContext.readOnlyRootFilesystem, true)
    assert.deepEqual(securityContext.capabilities.drop, ['ALL'])
  }
  for (const name of ['migrate', 'api', 'worker']) {
    assert.equal(compose.services[name].read_only, true)
    assert.deepEqual(compose.services[name].cap_drop, ['ALL'])
  }
})

test('the temporary folder of every process that answers has room for all uploads that it takes', () => {
  const most = UPLOADS.inAll * FILES.import.bytes
  const [api] = deployments
  const folder = api.spec.template.spec.volumes.find(({ name }: Tree) => name === 'tmp')
  assert.ok(parseInt(folder.emptyDir.sizeLimit) * 2 ** 30 > most)
  for (const { services } of [compose, readYaml('cells/compose.yml')])
    for (const { tmpfs } of Object.values<Tree>(services).filter(({ tmpfs }) => tmpfs !== undefined)) {
      const [, gigabytes] = /^\/tmp:size=(\d+)g$/.exec(tmpfs[0]) ?? []
      assert.ok(Number(gigabytes) * 2 ** 30 > most, tmpfs[0])
    }
})

test('every deployment names this release and the Node that it pins', () => {
  const [kustomization] = readManifests('kubernetes/kustomization.yml')
  assert.equal(kustomization.images[0].newTag, version)
  for (const name of ['migrate', 'api', 'worker'])
    assert.equal(compose.services[name].image, `bursar:${version}`)
  assert.match(read('Dockerfile'), new RegExp(`bursar:${version} `))
  const [major] = (dependencies['node'] ?? '').split('.')
  for (const { name, base } of readStages())
    if (name !== '') assert.ok(base.startsWith(`node:${major}-`), base)
})

/** Of distroless/cc: libc, libgcc and libstdc++. */
const BASE_LIBRARIES = /^(libc|libdl|libm|libpthread|libgcc_s|libstdc\+\+|ld-linux-[\w-]+|linux-vdso)\.so\./

test('the image has every library that its Node links against', () => {
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\S+\.so\.\d+/g) ?? []
  const names = libraries.map(path => path.slice(path.lastIndexOf('/') + 1))
  const missing = names.filter(name => !BASE_LIBRARIES.test(name))
  assert.ok(names.includes('libc.so.6'))
  for (const name of new Set(missing))
    assert.match(read('Dockerfile'), new RegExp(`^COPY --from=\\w+ /usr/lib/\\S+/${name}\\* /usr/lib/$`, 'm'))
})

test('every deployment that archives old months has a place for them that outlives the process', () => {
  const { worker } = compose.services
  const [volume, mountedAt] = worker.volumes[0].split(':')
  assert.equal(mountedAt, worker.environment.ARCHIVE_DIR)
  assert.ok(Object.hasOwn(compose.volumes, volume))
  // A new volume takes the owner of the folder in the image.
  assert.match(read('Dockerfile'), new RegExp(`--chown=65532:65532 \\S+ ${mountedAt}$`, 'm'))

  const [patch] = readManifests('kubernetes/archive/worker.yml')
  const [claim] = readManifests('kubernetes/archive/claim.yml')
  const { containers, volumes, securityContext } = patch.spec.template.spec
  const [{ env, volumeMounts }] = containers
  assert.equal(env[0].value, volumeMounts[0].mountPath)
  assert.equal(volumeMounts[0].name, volumes[0].name)
  assert.equal(volumes[0].persistentVolumeClaim.claimName, claim.metadata.name)
  assert.deepEqual(claim.spec.accessModes, ['ReadWriteMany'])
  const ofWorker = deployments.find(({ metadata }) => metadata.name === patch.metadata.name)
  assert.equal(securityContext.fsGroup, ofWorker.spec.template.spec.securityContext.runAsGroup)

  const state = `/var/lib/${/^StateDirectory=(.*)$/m.exec(read('systemd/bursar.service'))?.[1]}/`
  assert.ok(ENVIRONMENTS['systemd']?.['ARCHIVE_DIR']?.startsWith(state))
})

test('the unit and the image start Bursar with the flags of npm start', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const flags = scripts.start.match(/--\S+/g) ?? []
  assert.ok(flags.length > 0)
  for (const [path, text] of [
    ['Dockerfile', read('Dockerfile')],
    ['systemd/bursar.service', read('systemd/bursar.service')],
  ] as const)
    assert.deepEqual((/^(CMD|ExecStart).*$/m.exec(text)?.[0] ?? '').match(/--[\w-]+=\d+/g), flags, path)
})
