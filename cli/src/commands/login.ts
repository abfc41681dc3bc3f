import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { PermissionError } from '../../../sdk/node/src/index.ts'
import {
  addExamples,
  InputError,
  readHttpUrl,
  formatTable,
  show,
  writeError,
} from '../../../src/cli/terminal.ts'
import { connect, explain } from '../api.ts'
import { configFile, findProfile, readKept, writeKept, type Profile } from '../profiles.ts'

type LoginOptions = { url?: string | undefined; key?: string | undefined; secretStdin: boolean }

export function addLoginCommands(program: Command): void {
  const login = program
    .command('login')
    .description('try an API key and keep it in a profile, in a file that only you can read')
    .option('--profile <name>', 'name of the profile', readName, 'default')
    .option('--url <url>', 'where Bursar runs; asked for if absent', readHttpUrl)
    .option('--key <id>', 'API key; asked for if absent')
    .option('--secret-stdin', 'read its secret from stdin instead of asking for it', false)
    .action(runLogin)
  addExamples(login, [
    'bursar-cli login',
    'bursar-cli login --profile live --url https://fees.example.in --key key_live_… --secret-stdin < secret.txt',
  ])
  const logout = program
    .command('logout')
    .description('forget a profile')
    .argument('[profile]', 'its name', 'default')
    .action(runLogout)
  addExamples(logout, ['bursar-cli logout live'])
  const profiles = program
    .command('profiles')
    .description('list the profiles, or choose the one that is used')
    .option('--use <name>', 'use this one from now on')
    .action(runProfiles)
  addExamples(profiles, ['bursar-cli profiles', 'bursar-cli profiles --use live'])
}

function readName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text
  throw new InputError(`"${text}" cannot be a profile: use 1 to 64 letters, digits, dots, hyphens.`)
}

async function runLogin({ profile, ...given }: LoginOptions & { profile: string }): Promise<void> {
  const answers = await readAnswers(given)
  const api = connect(answers)
  try {
    await api.bursar.listEvents({ limit: 1 }).page()
  } catch (error) {
    // A key without the scope to read is a key all the same.
    if (!(error instanceof PermissionError)) throw explain(error, api)
  }
  const kept = readKept()
  writeKept({
    ...kept,
    current: profile,
    profiles: { ...kept.profiles, [profile]: { ...answers, url: api.url } },
  })
  show(
    { profile, url: api.url, key: answers.key, file: configFile() },
    `${api.url} accepts ${answers.key}. Kept as "${profile}" in ${configFile()}.`,
  )
}

async function readAnswers({ url, key, secretStdin }: LoginOptions): Promise<Profile> {
  if (secretStdin) {
    if (url === undefined || key === undefined) throw new InputError('--secret-stdin needs --url and --key.')
    const chunks = await Array.fromAsync(process.stdin as AsyncIterable<Buffer>)
    return { url, key, secret: Buffer.concat(chunks).toString('utf8').trim() }
  }
  if (!process.stdin.isTTY) throw new InputError('There is no terminal to ask at: use --secret-stdin.')
  return {
    url: url ?? readHttpUrl((await ask('URL [http://127.0.0.1:8080]: ')) || 'http://127.0.0.1:8080'),
    key: key ?? (await ask('API key: ')),
    secret: await ask('Secret (not shown): ', true),
  }
}

async function ask(question: string, isHidden = false): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({
    input: process.stdin,
    output: isHidden ? nowhere : process.stderr,
    terminal: true,
  })
  // It takes Ctrl-C for itself; a script around this has to end too.
  terminal.once('SIGINT', () => {
    terminal.close()
    process.kill(process.pid, 'SIGINT')
  })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    if (isHidden) writeError('')
  }
}

function runLogout(name: string): void {
  findProfile(name)
  const { current, profiles, ...kept } = readKept()
  const { [name]: _, ...others } = profiles
  writeKept({ ...kept, profiles: others, ...(current !== undefined && current !== name && { current }) })
  show({ profile: name }, `Forgot "${name}".`)
}

function runProfiles({ use }: { use?: string }): void {
  if (use !== undefined) {
    findProfile(use)
    writeKept({ ...readKept(), current: use })
  }
  const { current, profiles } = readKept()
  const list = Object.entries(profiles).map(([profile, { url, key }]) => ({
    profile,
    url,
    key,
    is_used: profile === current,
  }))
  const rows = list.map(({ profile, url, key, is_used }) => [is_used ? `${profile} *` : profile, url, key])
  const table = formatTable(['PROFILE', 'URL', 'KEY'], rows)
  show(list, list.length === 0 ? 'No profile yet: bursar-cli login makes one.' : table)
}
