import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Not blocking, because the Bursar that answers runs in this process. */
async function bash(
  script: string,
  cwd: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, stdout, stderr }
}

test('the five calls of the README work exactly as printed', async t => {
  if (!(await isFree(8080))) {
    t.skip('port 8080 is in use on this machine, and the README names it')
    return
  }
  await startBursar(t, { PORT: '8080' })
  const script = /```bash\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  assert.equal(script.match(/^curl /gm)?.length, 5, 'the README shows five calls')
  const folder = mkdtempSync(join(tmpdir(), 'bursar-readme-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { code, stdout, stderr } = await bash(script, folder)
  assert.equal(code, 0, stderr)
  const answers = stdout.split('}{').length
  assert.equal(answers, 5, stdout)
  assert.match(stdout, /"redirect_url":"http:\/\/127\.0\.0\.1:8080\/pay\/demo-school\/order_/)
  assert.match(stdout, /"status":"captured"/)
  assert.match(stdout, /"status":"paid"/)
  assert.match(stdout, /"service_student_id":"student_/)
  assert.match(stdout, /"event_code":"pay\.payment\.debited"/)
})
