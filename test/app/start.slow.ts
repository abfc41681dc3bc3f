import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bareEnv } from '../harness/processes/child-env.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Nearly all the time of a start goes into loading files, and what they hold is memory of an idle process. */
const MOST_FILES_OF_PACKAGES = 360
/** What a first request, job or helper process loads when it is wanted. */
const LATER = [
  '@scalar',
  '@simplewebauthn',
  '@opentelemetry/sdk-trace',
  'csv-parse',
  'nodemailer',
  'pdfkit',
  'qrcode',
  'saxes',
  'undici/index.js',
  'undici/lib/web',
  'write-excel-file',
  'yauzl',
]

function filesOfPackages(): string[] {
  const code = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(${JSON.stringify(pathToFileURL(join(ROOT, 'src/app/bursar.ts')))})
    process.stdout.write(JSON.stringify(loaded), () => process.exit(0))`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    env: bareEnv(),
    encoding: 'utf8',
  })
  return (JSON.parse(text) as string[]).flatMap(url => url.split('/node_modules/').slice(1, 2))
}

test('a start loads no more files of packages than answering needs', () => {
  const files = filesOfPackages()
  assert.deepEqual(
    files.filter(file => LATER.some(name => file.startsWith(`${name}/`) || file === name)),
    [],
  )
  assert.ok(files.length <= MOST_FILES_OF_PACKAGES, `${files.length} files of packages`)
})
