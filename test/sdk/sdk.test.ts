import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { generateAll, outdated } from '../../tools/sdk/generate.ts'
import { startBursar } from '../harness/bursar.ts'
import { programOf } from './readme.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const bursar = await startBursar({ after })
const folder = mkdtempSync(join(tmpdir(), 'sdk-'))
after(() => rmSync(folder, { recursive: true }))

test('what the clients have of the API is as the API is: npm run sdk', async () => {
  const { body } = await bursar.demo.get('/openapi.json')
  assert.deepEqual(outdated(generateAll(body)), [])
})

test('the lines of the README of the Node client run', async () => {
  const index = join(ROOT, 'sdk/node/src/index.ts')
  const program = programOf(join(ROOT, 'sdk/node/README.md'), 'js')
    .replaceAll("'bursar-sdk'", JSON.stringify(index))
    .replaceAll('http://127.0.0.1:8080', bursar.url)
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, 'docs/erp-developer/samples/students.csv'), join(folder, 'students.csv'))
  writeFileSync(join(folder, 'readme.mjs'), program)
  const { stdout } = await promisify(execFile)(process.execPath, ['readme.mjs'], { cwd: folder })
  assert.match(stdout, /^paid 5150050n$/m)
  assert.match(stdout, /^no such order req_/m)
})
