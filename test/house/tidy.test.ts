import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { missingEntries } from '../../tools/complete-lock.ts'
import { startBursar } from '../harness/bursar.ts'

/** House rules that no linter has. Each finder is shown a planted offence before it looks at the real thing. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
type File = { path: string; text: string }

const files: File[] = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    path => path !== '' && existsSync(`${ROOT}/${path}`) && !/^(LICENSE|docs\/screenshots\/)/.test(path),
  )
  .map(path => ({ path, text: readFileSync(`${ROOT}/${path}`, 'utf8') }))

function pathsWhere(isOffence: (file: File) => boolean, among: File[]): string[] {
  return among.filter(isOffence).map(file => file.path)
}

const source = files.filter(file => /^src\/.*\.ts$/.test(file.path))

const readsEnvironment = ({ path, text }: File): boolean =>
  /process\.env/.test(text) && !/^src\/app\/(config|main)\.ts$|^src\/cli\//.test(path)

test('only the configuration reads the environment; main and cli hand it over', () => {
  assert.ok(readsEnvironment({ path: 'src/orders/x.ts', text: "process.env['X']" }))
  assert.deepEqual(pathsWhere(readsEnvironment, source), [])
})

const hasSql = ({ path, text }: File): boolean =>
  /\b(select|insert into|update|delete from)\b[^'"]*\b(from|set|values|where)\b/i.test(
    text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
  ) &&
  /\.query[<(]/.test(text) &&
  !/\.store\.ts$|^src\/platform\/|^src\/cli/.test(path)

test('SQL stands in stores and the platform', () => {
  assert.ok(hasSql({ path: 'src/orders/orders.service.ts', text: "db.query('select a from b where c')" }))
  assert.deepEqual(pathsWhere(hasSql, source), [])
})

const asksForTime = ({ path, text }: File): boolean =>
  path.endsWith('.rules.ts') && /Date\.now|new Date\(\)|Temporal\.Now/.test(text)

test('rules are told the time', () => {
  assert.ok(asksForTime({ path: 'src/orders/orders.rules.ts', text: 'const now = new Date()' }))
  assert.deepEqual(pathsWhere(asksForTime, source), [])
})

const namesProvider = ({ path, text }: File): boolean =>
  /razorpay/i.test(text) && !/^src\/providers\/(razorpay\/|catalogue\.ts$)/.test(path)

test('a real provider is named in its own folder and in the catalogue, nowhere else', () => {
  assert.ok(namesProvider({ path: 'src/app/config.ts', text: "get('RAZORPAY_KEY_ID')" }))
  assert.deepEqual(pathsWhere(namesProvider, source), [])
})

const namesMachine = ({ text }: File): boolean =>
  /"resolved":\s*"http|https?:\/\/registry\.|(^|[\s"'`(=])\/(home|root)\/[a-z]/m.test(text)

test('no file names a registry or a path of somebody’s machine', () => {
  assert.ok(namesMachine({ path: 'package-lock.json', text: '"resolved": "https://x"' }))
  assert.ok(namesMachine({ path: 'a.ts', text: "'/home/asha/bursar'" }))
  assert.deepEqual(
    pathsWhere(
      namesMachine,
      files.filter(file => file.path !== 'test/house/tidy.test.ts'),
    ),
    [],
  )
})

test('the lock file has an entry for every optional dependency, or `npm ci` refuses it', () => {
  const optionalDependencies = { '@x/binding-linux-x64-musl': '1.0.0' }
  const planted = { packages: { 'node_modules/x': { dev: true, optionalDependencies } } }
  assert.deepEqual(missingEntries(planted), [
    {
      path: 'node_modules/@x/binding-linux-x64-musl',
      entry: { version: '1.0.0', dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    },
  ])
  assert.deepEqual(missingEntries(JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8'))), [])
})

/** Pure code of the server that the console's pages run too. */
const SHARED_WITH_PAGES = ['platform/typed/day.rules.ts', 'platform/csv.rules.ts']

const takesServerCode = ({ path, text }: File): boolean =>
  path.startsWith('web/src/') &&
  [...text.matchAll(/^import (?!type )[^']*'(?:\.\.\/)+src\/([^']+)'/gm)].some(
    ([, from = '']) => !SHARED_WITH_PAGES.includes(from),
  )

test('pages take types of the server, and no code but two pure rules', () => {
  const text = "import { paiseOf } from '../../../src/platform/money.ts'"
  assert.ok(takesServerCode({ path: 'web/src/pages/x.tsx', text }))
  assert.ok(
    !takesServerCode({ path: 'web/src/pages/x.tsx', text: text.replace('import {', 'import type {') }),
  )
  assert.deepEqual(pathsWhere(takesServerCode, files), [])
})

const MOST_IN_A_FOLDER = 20

/** Folders with more files of code than one looks through. */
function fullFolders(among: File[]): string[] {
  const code = among.filter(({ path }) => /\.tsx?$/.test(path))
  const byFolder = Object.groupBy(code, ({ path }) => dirname(path))
  return Object.entries(byFolder).flatMap(([folder, held = []]) =>
    held.length > MOST_IN_A_FOLDER ? [`${folder}: ${held.length}`] : [],
  )
}

test('no folder has more than 20 files of code', () => {
  const planted = Array.from({ length: 21 }, (_, at) => ({ path: `src/fees/${at}.ts`, text: '' }))
  assert.deepEqual(fullFolders(planted), ['src/fees: 21'])
  assert.deepEqual(fullFolders(files), [])
})

const bursar = await startBursar({ after })

/** Tables whose rows belong to no institute, or through which the institute is found. */
const DOORS = new Set([
  'schema_migrations',
  'instance_settings',
  'holidays',
  'institutes',
  'api_keys',
  // People of the console belong to the installation; a membership ties them to an institute.
  'console_users',
  'console_recovery_codes',
  'console_memberships',
  'console_lender_members',
  'console_sessions',
  'console_invitations',
  'console_tries',
  'console_devices',
  'console_unlock_codes',
  'console_passkeys',
  'console_passkey_challenges',
  'console_sign_ins',
  // Lenders belong to the installation; a choice ties one to an institute.
  'lenders',
  'institute_lenders',
  // The directory of cells, by which is found out in which of them an institute lives.
  'cells',
  'cell_schools',
  'cell_routes',
  // Which schools move from cell to cell, and how far: written by the move alone, read over all schools.
  'moving_schools',
  'school_moves',
])

test('every tenant table’s primary key, unique keys and foreign keys begin with institute_id', async () => {
  const keys = `select c.conrelid::regclass::text as table_name, c.conname as key, c.contype::text as type,
      (select attname from pg_attribute where attrelid = c.conrelid and attnum = c.conkey[1]) as first_column
    from pg_constraint c join pg_namespace n on n.oid = c.connamespace
    where n.nspname = 'public' and c.contype in ('p', 'u', 'f')
    union all
    select i.indrelid::regclass::text, i.indexrelid::regclass::text, 'i',
      (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0])
    from pg_index i join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = 'public' and i.indisunique`
  const offences = async (): Promise<string[]> => {
    const rows = await bursar.sql<{ table_name: string; key: string; first_column: string }>(keys)
    return rows
      .filter(row => !DOORS.has(row.table_name) && row.first_column !== 'institute_id')
      .map(row => row.key)
  }
  assert.deepEqual(await offences(), [])
  await bursar.sql('create table planted (id text primary key, institute_id integer)')
  assert.deepEqual(new Set(await offences()), new Set(['planted_pkey']))
})

test('recorded events and fee changes cannot be altered, not even by the owner of the database', async () => {
  for (const table of ['events', 'fee_changes', 'console_audit']) {
    for (const statement of [`delete from ${table}`, `truncate ${table} cascade`]) {
      await assert.rejects(bursar.sql(statement), /append-only/)
    }
  }
  await assert.rejects(bursar.sql(`update events set event_code = 'x'`), /append-only/)
})

/** Files that comments send a reader to and that are not there. */
function lostFiles({ path, text }: File): string[] {
  const comments = text.match(/\/\*\*[\s\S]*?\*\/|^ *\/\/.*$/gm) ?? []
  const named = comments.flatMap(comment =>
    [...comment.matchAll(/`([\w./-]+\.(?:tsx?|eta|sql|json|md|css|js))`/g)].map(([, name = '']) => name),
  )
  return named
    .filter(name => !files.some(file => file.path === name || file.path.endsWith(`/${name}`)))
    .map(name => `${path}: ${name}`)
}

test('a file that a comment names exists', () => {
  const planted = {
    path: 'src/x.ts',
    text: '/** The rest is in `moved-away.ts`, tests in `tidy.test.ts`. */',
  }
  assert.deepEqual(lostFiles(planted), ['src/x.ts: moved-away.ts'])
  const code = files.filter(({ path }) => /\.tsx?$/.test(path) && path !== 'test/house/tidy.test.ts')
  assert.deepEqual(code.flatMap(lostFiles), [])
})
