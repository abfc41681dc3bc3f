import { Argument, type Command } from 'commander'
import { addExamples, writeOut } from '../../../src/cli/terminal.ts'
import { TRIGGERED_CODES } from './trigger.ts'

/** The words that may follow each path of commands, written into the script: nothing is run while one types. */
type Words = ReadonlyMap<string, readonly string[]>

export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .description('write a script that completes commands, options and event codes in your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') => writeOut(SCRIPTS[shell](wordsOf(program))))
  addExamples(completion, [
    'source <(bursar-cli completion bash)',
    'bursar-cli completion fish > ~/.config/fish/completions/bursar-cli.fish',
  ])
}

function wordsOf(command: Command, path = ''): Words {
  const options = command.options.flatMap(({ long }) => long ?? [])
  const codes = path === 'trigger' ? TRIGGERED_CODES : []
  const children = command.commands.flatMap(child => [
    ...wordsOf(child, path === '' ? child.name() : `${path} ${child.name()}`),
  ])
  return new Map([
    [path, [...command.commands.map(child => child.name()), ...codes, ...options, '--help']],
    ...children,
  ])
}

function bash(words: Words): string {
  const cases = [...words].map(([path, list]) => `    ${JSON.stringify(path)}) words="${list.join(' ')}" ;;`)
  return `_bursar_cli() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "${[...words.keys()].map(path => `|${path}|`).join('')}" in
      *"|\${path:+$path }$word|"*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _bursar_cli bursar-cli
`
}

/** It runs bash's way of completing. */
function zsh(words: Words): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
}

function fish(words: Words): string {
  const lines = [...words].flatMap(([path, list]) => {
    const condition = path === '' ? '__fish_use_subcommand' : `__bursar_cli_at ${path}`
    return list.map(word => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c bursar-cli -f -n '${condition}' ${what}`
    })
  })
  return `function __bursar_cli_at
  set -l typed (commandline -opc)
  test "$typed[2..(math 1 + (count $argv))]" = "$argv"
end
${lines.join('\n')}
`
}

const SCRIPTS = { bash, zsh, fish }
