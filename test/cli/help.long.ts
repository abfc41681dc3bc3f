import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './command-line.ts'

test('every command explains itself with an example', async () => {
  const commands = [
    [],
    ['backup'],
    ['backup', 'verify'],
    ['restore'],
    ['archive', 'run'],
    ['archive', 'list'],
    ['archive', 'verify'],
    ['archive', 'read'],
    ['move'],
    ['migrate'],
    ['upgrade'],
    ['support'],
    ['status'],
    ['config'],
    ['openapi'],
  ]
  const nouns = {
    institutes: ['list', 'create', 'strict'],
    branches: ['list', 'add'],
    catalogue: ['list', 'add'],
  }
  for (const [noun, verbs] of Object.entries({ ...nouns, keys: ['list', 'create', 'rotate', 'revoke'] })) {
    commands.push([noun], ...verbs.map(verb => [noun, verb]))
  }
  const answers = await Promise.all(commands.map(command => run({}, ...command, '--help')))
  for (const [index, { code, out }] of answers.entries()) {
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Examples:\\n  \\$ .*bursar ${commands[index]?.join(' ')}`))
  }
})
