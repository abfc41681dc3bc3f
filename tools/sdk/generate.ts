import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import { generateBruno } from './bruno.ts'
import { collect } from './collection.ts'
import { generateGo } from './go.ts'
import { generateJava } from './java.ts'
import { readModel } from './model.ts'
import { generateNode } from './node.ts'
import { generatePhp } from './php.ts'
import { generatePostman } from './postman.ts'
import { generatePython } from './python.ts'

/** What of the clients follows from the API. It is not in the repository: `npm ci` and `npm run check` write it. */
const ROOT = resolve(import.meta.dirname, '../..')

export function generateAll(document: unknown): Record<string, string> {
  const model = readModel(document)
  const collection = collect(document)
  return {
    ...generatePostman(collection),
    ...generateBruno(collection),
    ...generateNode(model),
    ...generatePython(model),
    ...generatePhp(model),
    ...generateJava(model),
    ...generateGo(model),
  }
}

/** The files that are not as the document has them. */
export function outdated(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([path, text]) => read(path) !== text)
    .map(([path]) => path)
}

function read(path: string): string | null {
  try {
    return readFileSync(resolve(ROOT, path), 'utf8')
  } catch {
    return null
  }
}

if (import.meta.main) {
  const text = execFileSync(process.execPath, ['src/cli/main.ts', 'openapi'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  })
  const files = generateAll(JSON.parse(text))
  const changed = outdated(files)
  for (const path of changed) {
    mkdirSync(dirname(resolve(ROOT, path)), { recursive: true })
    writeFileSync(resolve(ROOT, path), files[path] ?? '')
  }
  // What the API no longer has.
  for (const path of globSync('sdk/bruno/**/*.bru', { cwd: ROOT }))
    if (!(path in files)) rmSync(resolve(ROOT, path))
  process.stderr.write(`The clients: ${changed.length} of ${Object.keys(files).length} files written anew.\n`)
}
