import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startBursar } from '../harness/bursar.ts'
import { compileGo, compileJava, skipWithout } from './languages.ts'
import { programOf } from './readme.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const bursar = await startBursar({ after })

type Compiled = {
  /** As its folder, and as code of it is marked. */
  name: string
  tool: string
  /** Writes the lines as a program into the folder, compiles it, and gives the command that runs it. */
  compile: (lines: string, folder: string) => readonly [string, ...string[]]
}

const LANGUAGES: readonly Compiled[] = [
  {
    name: 'java',
    tool: 'javac',
    compile: (lines, folder) => {
      const imports = lines.match(/^import .*$/gm) ?? []
      const [statements = '', methods = ''] = lines.replaceAll(/^import .*$/gm, '').split(/^(?=static )/m)
      const main = `public static void main(String[] given) throws Exception {\n${statements}\n}`
      const file = join(folder, 'Readme.java')
      writeFileSync(file, `${imports.join('\n')}\npublic class Readme {\n${main}\n${methods}\n}\n`)
      return ['java', '-cp', compileJava(file), 'Readme']
    },
  },
  {
    name: 'go',
    tool: 'go',
    compile: (lines, folder) => {
      const imports = /^import \([\s\S]*?^\)$/m
      const [statements = '', functions = ''] = lines.replace(imports, '').split(/^(?=func )/m)
      const main = `func main() {\n${statements}\n}`
      const file = join(folder, 'readme.go')
      writeFileSync(file, `package main\n${imports.exec(lines)?.[0]}\n${main}\n${functions}`)
      return [compileGo(file)]
    },
  },
]

const README = [/^paid 51500\.50$/m, /^no such order req_/m]
const SAMPLES = [/^paid 51500\.50$/m, /^HUE00002$/m]

for (const { name, tool, compile } of LANGUAGES)
  for (const [source, expected] of [
    [`sdk/${name}/README.md`, README],
    ['docs/erp-developer/samples.md', SAMPLES],
  ] as const)
    test(`the ${name} lines of ${source} run`, { skip: skipWithout(tool) }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sdk-readme-'))
      after(() => rmSync(folder, { recursive: true }))
      const lines = programOf(join(ROOT, source), name).replaceAll('http://127.0.0.1:8080', bursar.url)
      cpSync(join(ROOT, 'docs/erp-developer/samples/students.csv'), join(folder, 'students.csv'))
      const [program, ...args] = compile(lines, folder)
      const { stdout } = await promisify(execFile)(program, args, { cwd: folder })
      for (const pattern of expected) assert.match(stdout, pattern)
    })
