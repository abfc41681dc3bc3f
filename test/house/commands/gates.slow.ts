import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** `npm run check` is only worth something if each of its gates really closes: an offence is planted for each. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bursar-gates-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function plant(name: string, files: Record<string, string>): string {
  const home = join(folder, name)
  for (const config of [
    'tsconfig.json',
    '.oxlintrc.json',
    '.oxfmtrc.json',
    'tools/layers.ts',
    'tools/regexes.ts',
    'tools/spreads.ts',
  ]) {
    cpSync(join(ROOT, config), join(home, config), { recursive: true })
  }
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }\n')
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

function run(home: string, tool: string, ...args: string[]): { failed: boolean; text: string } {
  const bin = join(ROOT, 'node_modules/.bin')
  // The pinned Node first, as npm scripts have it: the linter loads its TypeScript rule with it.
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
  const result = spawnSync(join(bin, tool), args, { cwd: home, env, encoding: 'utf8' })
  return { failed: result.status !== 0, text: result.stdout + result.stderr }
}

const CLEAN = "export const greeting = (): string => 'hello'\n"

test('tsc refuses a type error and passes without it', () => {
  const bad = run(plant('types', { 'src/a.ts': 'export const amount: number = "5"\n' }), 'tsc')
  assert.ok(bad.failed)
  assert.match(bad.text, /TS2322/)
  assert.ok(!run(plant('types-clean', { 'src/a.ts': CLEAN }), 'tsc').failed)
})

test('tsc refuses syntax that type stripping cannot run', () => {
  const bad = run(plant('enum', { 'src/a.ts': 'export enum Colour { Red }\n' }), 'tsc')
  assert.ok(bad.failed)
  assert.match(bad.text, /erasableSyntaxOnly/)
})

test('oxlint refuses a promise left alone', () => {
  const text =
    "import { readFile } from 'node:fs/promises'\n\nexport function go(): void {\n  readFile('x')\n}\n"
  const bad = run(plant('promise', { 'src/a.ts': text }), 'oxlint', '--deny-warnings')
  assert.ok(bad.failed)
  assert.match(bad.text, /no-floating-promises/)
})

test('oxlint refuses a regular expression whose time grows faster than its text', () => {
  const offences = [String.raw`/\s*\/-$/`, String.raw`/^(?:a+)+$/`, String.raw`/^[^@]+@[^@]+\.[^@]+$/`]
  for (const [index, offence] of offences.entries()) {
    const bad = run(
      plant(`regex-${index}`, { 'src/a.ts': `export const slow = ${offence}\n` }),
      'oxlint',
      '--deny-warnings',
    )
    assert.ok(bad.failed)
    assert.match(bad.text, /regexes\(linear-time\)/)
  }
})

test('oxlint refuses a list that is passed as arguments, which overflow the stack if it is long', () => {
  const offences = ['items.push(...more)', 'items.unshift(0, ...more)', 'Math.max(...more)']
  for (const [index, offence] of offences.entries()) {
    const text = `export const add = (items: number[], more: number[]): number => ${offence}\n`
    const bad = run(plant(`spread-${index}`, { 'src/a.ts': text }), 'oxlint', '--deny-warnings')
    assert.ok(bad.failed)
    assert.match(bad.text, /spreads\(no-long-arguments\)/)
  }
})

test('oxlint refuses an import that points up, a file that is too long, and a circle of imports, of types too', () => {
  const up = run(
    plant('layers', {
      'src/orders/orders.store.ts': CLEAN,
      'src/orders/orders.rules.ts':
        "import { greeting } from './orders.store.ts'\n\nexport const x = greeting()\n",
    }),
    'oxlint',
    '--deny-warnings',
  )
  assert.ok(up.failed)
  assert.match(up.text, /layers\(one-way\)/)
  const long = run(
    plant('long', { 'src/a.ts': CLEAN + '\nexport {}\n'.repeat(301) }),
    'oxlint',
    '--deny-warnings',
  )
  assert.match(long.text, /max-lines/)
  const cycle = run(
    plant('cycle', {
      'src/a.ts': "import { b } from './b.ts'\n\nexport const a = (): number => b()\n",
      'src/b.ts': "import { a } from './a.ts'\n\nexport const b = (): number => a()\n",
    }),
    'oxlint',
    '--deny-warnings',
  )
  assert.match(cycle.text, /no-cycle/)
  const types = run(
    plant('type-cycle', {
      'src/a.ts': "import type { B } from './b.ts'\n\nexport type A = { b: B | null }\n",
      'src/b.ts': "import type { A } from './a.ts'\n\nexport type B = { a: A | null }\n",
    }),
    'oxlint',
    '--deny-warnings',
  )
  assert.match(types.text, /no-cycle/)
})

test('oxfmt refuses what is not formatted', () => {
  assert.ok(run(plant('format', { 'src/a.ts': 'export const  a="x";' }), 'oxfmt', '--check', 'src').failed)
  assert.ok(!run(plant('format-clean', { 'src/a.ts': CLEAN }), 'oxfmt', '--check', 'src').failed)
})

test('knip refuses an export that nobody uses and a dependency that nobody needs', () => {
  const home = plant('dead', {
    'package.json': JSON.stringify({
      name: 'x',
      type: 'module',
      main: 'src/index.ts',
      dependencies: { pg: '*' },
    }),
    'src/index.ts': "import { used } from './a.ts'\n\nused()\n",
    'src/a.ts': `${CLEAN}export const used = (): void => {}\n`,
  })
  const bad = run(home, 'knip')
  assert.ok(bad.failed)
  assert.match(bad.text, /Unused exports/)
  assert.match(bad.text, /greeting/)
  assert.match(bad.text, /Unused dependencies/)
})
