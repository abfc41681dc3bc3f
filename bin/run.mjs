import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program on the Node that the project pins, whatever Node started this file: from its source, or as it was packed. */
export function run(program, args, flags = []) {
  const source = join(root, `${program}.ts`)
  const isSource = existsSync(source)
  const child = spawn(
    pinnedNode(),
    [...flags, isSource ? source : join(root, 'dist', `${program}.js`), ...args],
    {
      stdio: 'inherit',
      // What was compiled last time is read back: a command starts with a third less work.
      env: isSource
        ? { NODE_COMPILE_CACHE: `${root}node_modules/.cache/compile`, ...process.env }
        : process.env,
    },
  )
  // A terminal sends Ctrl-C to both of us; anything else is sent to this process alone and passed on.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1
    else {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}

/** Installed as a package, it may lie beside us instead of inside. */
function pinnedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const node = join(folder, 'bin', 'node')
    if (existsSync(node)) return node
  } catch {
    // Not installed.
  }
  if (Number(process.versions.node.split('.')[0]) < 26) {
    process.stderr.write(
      'Bursar needs Node 26, which its installation brings along if install scripts may run.\n',
    )
    process.exit(1)
  }
  return process.execPath
}
