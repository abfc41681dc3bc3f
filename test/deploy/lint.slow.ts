import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './files.ts'

/** Each file of deploy/ by its own tool, which first has to find a planted offence. */
const TOOLS = join(ROOT, 'node_modules/.cache/deploy-tools/bin')
const PATH = `${TOOLS}:${process.env['PATH']}`

type Lint = {
  tool: string
  args: readonly string[]
  /** In this file, these words become those: what the tool has to find. */
  offence: { file: string; from: string; to: string; found: RegExp }
}

const LINTS: readonly Lint[] = [
  {
    tool: 'hadolint',
    args: ['Dockerfile'],
    offence: { file: 'Dockerfile', from: 'WORKDIR /opt/bursar', to: 'WORKDIR opt/bursar', found: /DL3000/ },
  },
  {
    tool: 'yamllint',
    args: ['--strict', '--config-file', '.yamllint.yml', '.'],
    offence: {
      file: 'kubernetes/api.yml',
      from: 'revisionHistoryLimit: 3',
      to: 'replicas: 3',
      found: /duplication of key "replicas"/,
    },
  },
  {
    tool: 'check-jsonschema',
    args: ['--builtin-schema', 'vendor.compose-spec', 'compose.yml'],
    offence: { file: 'compose.yml', from: 'shm_size:', to: 'shmsize:', found: /shmsize/ },
  },
  {
    tool: 'check-jsonschema',
    args: ['--builtin-schema', 'vendor.compose-spec', 'cells/compose.yml'],
    offence: { file: 'cells/compose.yml', from: 'shm_size:', to: 'shmsize:', found: /shmsize/ },
  },
  {
    tool: 'kubernetes-validate',
    args: [
      '--strict',
      ...['namespace', 'proxy', 'ingress'].map(name => `cells/kubernetes/proxy/${name}.yml`),
      'cells/kubernetes/cell/between-cells.yml',
    ],
    offence: {
      file: 'cells/kubernetes/proxy/proxy.yml',
      from: 'serviceName',
      to: 'servicesName',
      found: /servicesName/,
    },
  },
  ...['north', 'south', 'proxy'].map(name => ({
    tool: 'kubectl',
    args: ['kustomize', `cells/kubernetes/${name}`],
    offence: {
      file: `cells/kubernetes/${name}/kustomization.yml`,
      from: 'resources:',
      to: 'resourcen:',
      found: /resourcen/,
    },
  })),
  ...['replication', 'standby'].map(name => ({
    tool: 'bash',
    args: ['-n', `cells/${name}.sh`],
    offence: {
      file: `cells/${name}.sh`,
      from: 'set -euo pipefail',
      to: 'if true; then',
      found: /syntax error|unexpected end/,
    },
  })),
  {
    tool: 'kubernetes-validate',
    args: [
      '--strict',
      ...['api', 'worker', 'namespace', 'network-policy', 'ingress', 'archive/claim'].map(
        name => `kubernetes/${name}.yml`,
      ),
    ],
    offence: {
      file: 'kubernetes/worker.yml',
      from: 'minReadySeconds',
      to: 'minimumReadySeconds',
      found: /minimumReadySeconds/,
    },
  },
  {
    tool: 'promtool',
    args: ['check', 'rules', 'prometheus/alerts.yml'],
    offence: {
      file: 'prometheus/alerts.yml',
      from: 'max by (cell) (bursar_books_differences)',
      to: 'max by (cell) (bursar_books_differences',
      found: /unclosed left parenthesis/,
    },
  },
  {
    tool: 'promtool',
    args: ['test', 'rules', 'prometheus/alerts.test.yml'],
    offence: {
      file: 'prometheus/alerts.yml',
      from: 'max by (cell) (bursar_books_differences) > 0',
      to: 'max by (cell) (bursar_books_differences) > 2',
      found: /BursarBooksDiffer/,
    },
  },
  {
    tool: 'promtool',
    args: ['check', 'config', '--syntax-only', 'prometheus/prometheus.yml'],
    offence: {
      file: 'prometheus/prometheus.yml',
      from: 'scrape_interval',
      to: 'scraping_interval',
      found: /scraping_interval/,
    },
  },
  {
    tool: 'systemd-analyze',
    args: ['verify', 'systemd/bursar.service'],
    offence: {
      file: 'systemd/bursar.service',
      from: 'KillMode=mixed',
      to: 'KillModus=mixed',
      found: /KillModus/,
    },
  },
  {
    tool: 'systemd-analyze',
    // Of 10, the most exposed.
    args: ['security', '--offline=true', '--threshold=20', 'systemd/bursar.service'],
    offence: {
      file: 'systemd/bursar.service',
      from: 'CapabilityBoundingSet=\n',
      to: '',
      found: /CAP_SYS_ADMIN/,
    },
  },
]

function run(folder: string, { tool, args }: Lint): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(tool, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  return { status, text: stdout + stderr }
}

function missing(tool: string): string | false {
  const isThere = PATH.split(':').some(folder => existsSync(join(folder, tool)))
  return isThere
    ? false
    : `${tool} is not on this machine: \`tools/deploy-tools\` installs it, or Debian has it`
}

for (const lint of LINTS) {
  const { tool, args, offence } = lint
  test(`${[tool, ...args.slice(0, 2)].join(' ')} finds nothing in deploy/`, { skip: missing(tool) }, t => {
    const folder = mkdtempSync(join(tmpdir(), 'bursar-deploy-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(ROOT, 'deploy'), folder, { recursive: true })
    // What it starts is not installed here.
    const unit = join(folder, 'systemd/bursar.service')
    writeFileSync(
      unit,
      readFileSync(unit, 'utf8').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`),
    )
    const own = run(folder, lint)
    assert.equal(own.status, 0, own.text)

    const file = join(folder, offence.file)
    const before = readFileSync(file, 'utf8')
    assert.ok(before.includes(offence.from))
    writeFileSync(file, before.replace(offence.from, offence.to))
    const planted = run(folder, lint)
    assert.match(planted.text, offence.found)
    // systemd only warns of what it does not know.
    if (args[0] !== 'verify') assert.notEqual(planted.status, 0)
    else assert.notEqual(planted.text, own.text)
  })
}
