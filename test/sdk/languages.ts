import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const DRIVERS = resolve(import.meta.dirname, 'drivers')

export type Language = {
  name: string
  /** Null: its tools are not on this machine. */
  command: readonly string[] | null
  env: Record<string, string>
}

export function languages(): Language[] {
  return [
    { name: 'Node', command: [process.execPath, `${DRIVERS}/node.ts`], env: {} },
    {
      name: 'Python',
      command: has('python3') ? ['python3', `${DRIVERS}/driver.py`] : null,
      env: { PYTHONPATH: `${ROOT}/sdk/python`, PYTHONDONTWRITEBYTECODE: '1' },
    },
    {
      name: 'PHP',
      command: has('php') ? ['php', `${DRIVERS}/driver.php`] : null,
      env: { BURSAR_SDK: `${ROOT}/sdk/php/src/autoload.php` },
    },
  ]
}

/** For `skip`: why, or false. */
export function skipWithout(tool: string): string | false {
  return has(tool) ? false : `${tool} is not on this machine`
}

function has(tool: string): boolean {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
