import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { bareEnv } from '../harness/processes/child-env.ts'

/** What keeps a newcomer from starting it, each told in one sentence; `process.long.ts` has ports and folders in use. */
const ROOT = join(import.meta.dirname, '..', '..')

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-refused-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function refusalOf(dataDir: string): string {
  const { status, stderr } = spawnSync(process.execPath, ['src/app/main.ts'], {
    cwd: ROOT,
    env: { ...bareEnv(), DATA_DIR: dataDir, PORT: '0' },
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.equal(status, 1, stderr)
  return stderr
}

test('a data folder that cannot be written is named, with what to do', t => {
  const file = join(scratch(t), 'a-file')
  writeFileSync(file, '')
  for (const [folder, problem] of [
    [file, 'it is a file. Set'],
    [join(file, 'data'), 'a part of its path is a file. Set'],
    // Not even root may make a folder there.
    ['/sys/bursar', 'permission is denied. Let this user write there, or set'],
  ] as const)
    assert.equal(
      refusalOf(folder),
      `Bursar did not start.\n  The data folder ${folder} cannot be used: ${problem} DATA_DIR to another folder.\n`,
    )
})

/** `tools/check-node`, which stands before `npm start` and the build, with a Node that behaves so. */
function check(t: TestContext, script: string, cwd = ROOT) {
  const bin = scratch(t)
  const node = join(bin, 'node')
  writeFileSync(node, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { status, stderr } = spawnSync(join(ROOT, 'tools', 'check-node'), {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    encoding: 'utf8',
    cwd,
  })
  return { status, said: stderr.trimEnd() }
}

test('a machine without libatomic, and a Node that is too old, are told what to install', t => {
  const loader =
    'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory'
  assert.deepEqual(check(t, `echo '${loader}' >&2; exit 127`), {
    status: 1,
    said: 'Bursar cannot start: this machine has no libatomic. Install it (apt-get install libatomic1, or dnf install libatomic), then try again.',
  })
  assert.deepEqual(check(t, 'echo v20.20.2'), {
    status: 1,
    said: 'Bursar cannot start: it needs Node 26, and this is v20.20.2. Run `npm ci` here, with its install scripts: it brings the right Node along.',
  })
  assert.deepEqual(check(t, 'echo Illegal instruction >&2; exit 132'), {
    status: 1,
    said: 'Bursar cannot start: Node, which npm installed, does not run on this machine: Illegal instruction',
  })
  assert.deepEqual(check(t, 'echo v26.10.0'), { status: 0, said: '' })
  assert.deepEqual(check(t, 'echo v26.10.0', scratch(t)), {
    status: 1,
    said: 'Bursar cannot start: its packages are not installed. Run `npm ci` here first.',
  })
})
