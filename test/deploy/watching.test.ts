import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createMetrics, observeBackups } from '../../src/http/metrics.ts'
import { startBursar } from '../harness/bursar.ts'
import { read, readYaml, ROOT, type Tree } from './files.ts'

const bursar = await startBursar({ after })
const guide = readFileSync(join(ROOT, 'docs/operator/alerts.md'), 'utf8')

const alerts: Tree[] = readYaml('prometheus/alerts.yml').groups.flatMap(({ rules }: Tree) => rules)
const dashboard: Tree = JSON.parse(read('grafana/bursar.json'))
const panels: Tree[] = dashboard.panels.filter(({ type }: Tree) => type !== 'row')

/** What an expression asks for; `up` is Prometheus's own. */
function metricsOf(expression: string): string[] {
  const names = expression.match(/\b(?:bursar|process|nodejs)_[a-z0-9_]+/g) ?? []
  assert.ok(names.length > 0 || expression.includes('up{'), expression)
  return names
}

/** As a running process serves them, and one that makes backups as well. */
async function servedMetrics(): Promise<Set<string>> {
  const page = await (await fetch(`${bursar.url}/metrics`)).text()
  const withBackups = createMetrics(bursar.app.ctx.db, bursar.app.worker)
  const state = {
    folder: '',
    lastAt: null,
    lastBytes: 0,
    kept: 0,
    nextAt: new Date(),
    isLate: false,
    failuresInRow: 0,
  }
  observeBackups(withBackups, { state: { ...state, lastFailure: null } })
  const all = page + (await withBackups.registry.metrics())
  return new Set(
    [...all.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

test('every figure that the dashboard and the alerts name is served', async () => {
  const served = await servedMetrics()
  const named = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }: Tree) => expr as string)),
    ...alerts.map(({ expr }) => expr as string),
  ].flatMap(metricsOf)
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter(name => !served.has(name)),
    [],
  )
})

test('every figure that the guide names is served', async () => {
  const served = [...(await servedMetrics())]
  const named = guide.match(/`bursar_[a-z_]+(?=[`…])/g) ?? []
  assert.ok(named.length > 8)
  for (const name of named)
    assert.ok(
      served.some(one => one.startsWith(name.slice(1))),
      name,
    )
})

test('every alert has a severity, a summary, tests, and a section that says what to do', () => {
  const tests = read('prometheus/alerts.test.yml')
  const sections = new Set(
    [...guide.matchAll(/^## (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase()),
  )
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(critical|warning)$/)
    assert.ok(annotations.summary.length > 0)
    const [page, anchor] = annotations.runbook.split('#')
    assert.equal(page, 'docs/operator/alerts.md')
    assert.equal(anchor, alert.toLowerCase())
    assert.ok(sections.delete(anchor), `no section ${anchor}`)
    assert.ok(tests.includes(`- name: ${alert} fires\n`), `${alert} is not tested`)
  }
  assert.deepEqual([...sections], [], 'sections of alerts that are none')
})

test('no two panels of the dashboard lie over each other', () => {
  const taken = new Set<string>()
  for (const { title, gridPos, datasource } of panels) {
    assert.equal(datasource.uid, '${datasource}')
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), title)
        taken.add(`${x} ${y}`)
      }
  }
})
