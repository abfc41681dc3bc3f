import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { tmpdir } from 'node:os'
import { generateAll, outdated } from '../../tools/sdk/generate.ts'
import { startBursar } from '../harness/bursar.ts'
import { skipWithout } from './languages.ts'
import { programOf } from './readme.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const bursar = await startBursar({ after })
const folder = mkdtempSync(join(tmpdir(), 'sdk-'))
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
after(() => rmSync(folder, { recursive: true }))
cpSync(join(ROOT, 'docs/erp-developer/samples/students.csv'), join(folder, 'students.csv'))

test('what the clients have of the API is as the API is: npm run sdk', async () => {
  const { body } = await bursar.demo.get('/openapi.json')
  assert.deepEqual(outdated(generateAll(body)), [])
})

const run = promisify(execFile)

test('the package of the Node client is built as it is published, and loads', async () => {
  await run(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'sdk/node'),
    '--outDir',
    join(folder, 'dist'),
  ])
  const built = await import(pathToFileURL(join(folder, 'dist/index.js')).href)
  assert.equal(typeof built.Bursar.prototype.createPayOrder, 'function')
  assert.equal(typeof built.verifyWebhook, 'function')
})

test('the lines of the README of the Node client run', async () => {
  const program = readmeOf('node', 'js').replaceAll("'bursar-sdk'", `'${ROOT}/sdk/node/src/index.ts'`)
  writeFileSync(join(folder, 'readme.mjs'), program)
  const { stdout } = await run(process.execPath, ['readme.mjs'], { cwd: folder })
  assert.match(stdout, /^paid 5150050n$/m)
  assert.match(stdout, /^no such order req_/m)
})

const GUIDES = {
  'first-hour': /^0\.00$[\s\S]*pay\.payment\.debited/m,
  money: /^$/,
  errors: /^\[ 'phone', 'details' \]$/m,
  testing: /^expired$/m,
  reconciliation: /^not booked: pay_/m,
}

for (const [name, expected] of Object.entries(GUIDES))
  test(`the lines of the guide ${name}.md run`, async () => {
    const program = programOf(join(ROOT, `docs/erp-developer/${name}.md`), 'js')
      .replaceAll("'bursar-sdk'", `'${ROOT}/sdk/node/src/index.ts'`)
      .replaceAll('http://127.0.0.1:8080', bursar.url)
    writeFileSync(join(folder, `${name}.mjs`), program)
    const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd: folder })
    assert.match(stdout, expected)
  })

test('the lines of the README of the Python client run', { skip: skipWithout('python3') }, async () => {
  writeFileSync(join(folder, 'readme.py'), readmeOf('python', 'python'))
  const env = { ...process.env, PYTHONPATH: `${ROOT}/sdk/python`, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await run('python3', ['readme.py'], { cwd: folder, env })
  assert.match(stdout, /^paid 51500\.50$/m)
  assert.match(stdout, /^no such order req_/m)
})

test('the lines of the README of the PHP client run', { skip: skipWithout('php') }, async () => {
  const program = readmeOf('php', 'php').replace(
    "'vendor/autoload.php'",
    `'${ROOT}/sdk/php/src/autoload.php'`,
  )
  writeFileSync(join(folder, 'readme.php'), `<?php\n${program}`)
  const { stdout } = await run('php', ['readme.php'], { cwd: folder })
  assert.match(stdout, /^paid 5150050$/m)
  assert.match(stdout, /^no such order req_/m)
})

const SAMPLES = join(ROOT, 'docs/erp-developer/samples.md')
const RUNS = {
  sh: { command: 'sh', file: 'samples.sh', expected: /^order_\w+\n"status":"paid"\n"code":"HUE00002"\n$/ },
  js: { command: process.execPath, file: 'samples.mjs', expected: /^http.*\npaid 51500\.50\nHUE00002\n$/ },
  python: { command: 'python3', file: 'samples.py', expected: /^http.*\npaid 51500\.50\nHUE00002\n$/ },
  php: { command: 'php', file: 'samples.php', expected: /^http.*\npaid 51500\.50\nHUE00002\n$/ },
} as const

for (const [language, { command, file, expected }] of Object.entries(RUNS))
  test(
    `the samples in ${language} run`,
    { skip: skipWithout(language === 'sh' ? 'curl' : command) },
    async () => {
      const program = programOf(SAMPLES, language)
        .replaceAll('http://127.0.0.1:8080', bursar.url)
        .replaceAll("'bursar-sdk'", `'${ROOT}/sdk/node/src/index.ts'`)
        .replace("'vendor/autoload.php'", `'${ROOT}/sdk/php/src/autoload.php'`)
      writeFileSync(join(folder, file), language === 'php' ? `<?php\n${program}` : program)
      const env = { ...process.env, PYTHONPATH: `${ROOT}/sdk/python`, PYTHONDONTWRITEBYTECODE: '1' }
      assert.match((await run(command, [file], { cwd: folder, env })).stdout, expected)
    },
  )

function readmeOf(language: string, fence: string): string {
  return programOf(join(ROOT, `sdk/${language}/README.md`), fence).replaceAll(
    'http://127.0.0.1:8080',
    bursar.url,
  )
}
