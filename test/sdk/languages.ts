import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

export type Language = {
  name: string
  /** Null: its tools are not on this machine. */
  command: readonly string[] | null
  env: Record<string, string>
}

/** The clients of this checkout, or of another. */
export function languages(root: string = ROOT): Language[] {
  const drivers = join(root, 'test/sdk/drivers')
  return [
    { name: 'Node', command: [process.execPath, `${drivers}/node.ts`], env: {} },
    {
      name: 'Python',
      command: has('python3') ? ['python3', `${drivers}/driver.py`] : null,
      env: { PYTHONPATH: `${root}/sdk/python`, PYTHONDONTWRITEBYTECODE: '1' },
    },
    {
      name: 'PHP',
      command: has('php') ? ['php', `${drivers}/driver.php`] : null,
      env: { BURSAR_SDK: `${root}/sdk/php/src/autoload.php` },
    },
    {
      name: 'Java',
      command: has('javac')
        ? ['java', '-Xshare:auto', '-cp', compileJava(`${drivers}/Driver.java`, root), 'bursar.Driver']
        : null,
      env: {},
    },
    {
      name: 'Go',
      command: has('go') ? [compileGo(`${drivers}/driver.go`, root)] : null,
      env: {},
    },
  ]
}

/** A program on the Go client, as its README says; gives where it is. Nothing is asked of a network. */
export function compileGo(file: string, root: string = ROOT): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-go-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  cpSync(file, join(folder, 'main.go'))
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' }
  const go = (...args: string[]): unknown => execFileSync('go', args, { cwd: folder, env, stdio: 'pipe' })
  writeFileSync(join(folder, 'go.mod'), 'module program\n\ngo 1.19\n')
  go('mod', 'edit', '-require=bursar@v0.0.0', `-replace=bursar=${root}/sdk/go`)
  go('build', '-o', 'program', '.')
  return join(folder, 'program')
}

/** The Java client and one more file of its package; gives where the classes are. */
export function compileJava(file: string, root: string = ROOT): string {
  const classes = mkdtempSync(join(tmpdir(), 'sdk-java-'))
  const source = `${root}/sdk/java/src/main/java/bursar`
  const files = readdirSync(source).map(name => `${source}/${name}`)
  execFileSync('javac', ['--release', '11', '-encoding', 'UTF-8', '-d', classes, ...files, file])
  process.on('exit', () => rmSync(classes, { recursive: true, force: true }))
  return classes
}

/** For `skip`: why, or false. */
export function skipWithout(tool: string): string | false {
  return has(tool) ? false : `${tool} is not on this machine`
}

function has(tool: string): boolean {
  // Whether it knows the word or not: a plain `sh` does not.
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined
}
