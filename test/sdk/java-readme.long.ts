import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startBursar } from '../harness/bursar.ts'
import { compileJava, skipWithout } from './languages.ts'
import { programOf } from './readme.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const bursar = await startBursar({ after })

const SOURCES = {
  'sdk/java/README.md': [/^paid 51500\.50$/m, /^no such order req_/m],
  'docs/erp-developer/samples.md': [/^paid 51500\.50$/m, /^HUE00002$/m],
}

for (const [source, expected] of Object.entries(SOURCES))
  test(`the Java lines of ${source} run`, { skip: skipWithout('javac') }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sdk-readme-'))
    after(() => rmSync(folder, { recursive: true }))
    const lines = programOf(join(ROOT, source), 'java').replaceAll('http://127.0.0.1:8080', bursar.url)
    const imports = lines.match(/^import .*$/gm) ?? []
    const [statements = '', methods = ''] = lines.replaceAll(/^import .*$/gm, '').split(/^(?=static )/m)
    const main = `public static void main(String[] given) throws Exception {\n${statements}\n}`
    const file = join(folder, 'Readme.java')
    writeFileSync(file, `${imports.join('\n')}\npublic class Readme {\n${main}\n${methods}\n}\n`)
    cpSync(join(ROOT, 'docs/erp-developer/samples/students.csv'), join(folder, 'students.csv'))
    const classes = compileJava(file)
    const { stdout } = await promisify(execFile)('java', ['-cp', classes, 'Readme'], { cwd: folder })
    for (const pattern of expected) assert.match(stdout, pattern)
  })
