import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildFonts } from './build-fonts.ts'

/**
 * Builds the console into `web/dist`. It is built beside and moved into place whole, so that a running Bursar and a
 * second build at the same time never see half of it.
 */
const WEB = fileURLToPath(new URL('../web/', import.meta.url))
const DIST = join(WEB, 'dist')

export async function buildConsole(): Promise<void> {
  const { build } = await import('vite')
  await buildFonts()
  const fresh = join(WEB, `.dist-${process.pid}`)
  const old = join(WEB, `.old-${process.pid}`)
  const startedAt = new Date()
  try {
    await build({
      root: WEB,
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    })
    compressAll(join(fresh, 'assets'))
    // What is changed while it is built may not be in it.
    utimesSync(join(fresh, 'index.html'), startedAt, startedAt)
    moveInto(fresh, old)
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Beside each file its compressed forms, made once with the highest quality; the server only picks one. */
function compressAll(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const body = readFileSync(path)
    writeFileSync(`${path}.br`, brotliCompressSync(body))
    writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
  }
}

/** Another build may put its own there in between; it is as good as this one, and goes as well. */
function moveInto(fresh: string, old: string): void {
  for (let tries = 3; ; tries--) {
    try {
      rmSync(old, { recursive: true, force: true })
      if (existsSync(DIST)) renameSync(DIST, old)
      renameSync(fresh, DIST)
      return
    } catch (error) {
      if (tries === 0) throw error
    }
  }
}

/** Whether something that it is made of changed after it was built. */
export function isConsoleStale(): boolean {
  const page = join(DIST, 'index.html')
  if (!existsSync(page)) return true
  const builtMs = statSync(page).mtimeMs
  const sources = [
    'src',
    'index.html',
    'vite.config.ts',
    '../src/platform/typed',
    '../src/platform/names.ts',
    '../src/platform/csv.rules.ts',
    '../package.json',
    '../tools/build-console.ts',
    '../tools/build-fonts.ts',
  ].map(name => join(WEB, name))
  return sources.some(path => newestMs(path) > builtMs)
}

function newestMs(path: string): number {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map(name => newestMs(join(path, name))))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildConsole()
  } catch (error) {
    // An installation without development packages has no builder; the console's address says how to build it.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    process.stderr.write('The console was not built: its builder (vite) is not installed.\n')
  }
}
