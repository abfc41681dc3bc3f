import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** The files of deploy/, as their own tools read them. */
export const ROOT = resolve(import.meta.dirname, '../..')

export function read(path: string): string {
  return readFileSync(join(ROOT, 'deploy', path), 'utf8')
}

/** A tree of which a test names the branches that it expects. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Tree = any

export function readYaml(path: string): Tree {
  return parse(read(path), { merge: true })
}

export function readManifests(path: string): Tree[] {
  return parseAllDocuments(read(path)).map(document => document.toJS() satisfies Tree)
}

/** NAME=value, without comments. */
export function readEnv(path: string): Record<string, string> {
  const lines = read(path)
    .split('\n')
    .filter(line => /^\w+=/.test(line))
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

export type Instruction = { name: string; text: string }
export type Stage = { name: string; base: string; instructions: Instruction[] }

/** The stages of the container file, in order. */
export function readStages(): Stage[] {
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    const [, base = '', , as = ''] = /^(\S+)( AS (\S+))?$/.exec(text) ?? []
    if (name === 'FROM') stages.push({ name: as, base, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, text })
  }
  return stages
}
