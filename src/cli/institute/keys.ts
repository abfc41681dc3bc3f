import type { Command } from 'commander'
import { SCOPES, type ScopeName } from '../../institutes/institutes.rules.ts'
import { createKey, listKeys, revokeKey, rotateKey, type IssuedKey } from '../../institutes/keys.service.ts'
import { addExamples, formatTable, formatTime, show } from '../terminal.ts'
import { collectScope, readInstituteCode, readKeyId, readLabel, readRate } from '../operator-input.ts'
import { withContext } from '../with-database.ts'

type CreateOptions = { label: string; scope?: ScopeName[]; rate?: number; burst?: number }

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description("API keys, by which an institute's ERP gets in")
  addExamples(keys, ['bursar keys create green-park', 'bursar keys list green-park'])

  const list = keys
    .command('list')
    .description("show an institute's keys, never their secrets")
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runList)
  addExamples(list, ['bursar keys list green-park'])

  const create = keys
    .command('create')
    .description('make a key; its secret is shown this once')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .option('--label <label>', 'what the key is for; two of a label may be active', readLabel, 'default')
    .option(
      '--scope <scope>',
      `${SCOPES.join(', ')}; repeat for several; write: all but read (default: all)`,
      collectScope,
    )
    .option('--rate <number>', 'requests a second (default: 1000)', readRate)
    .option('--burst <number>', 'requests at once (default: twice the rate)', readRate)
    .action(runCreate)
  addExamples(create, [
    'bursar keys create green-park',
    'bursar keys create green-park --label reports --scope read --rate 10',
    'bursar keys create green-park --label fees --scope read --scope orders --scope students',
  ])

  const rotate = keys
    .command('rotate')
    .description(
      'make a successor with the same label, scopes and limits; the old key works until it is revoked',
    )
    .argument('<key-id>', 'the key to succeed', readKeyId)
    .action(runRotate)
  addExamples(rotate, ['bursar keys rotate key_live_01k9zq4m0ve8sbn6yt2hw3c5da'])

  const revoke = keys
    .command('revoke')
    .description('end a key for good; it is refused within 5 seconds')
    .argument('<key-id>', 'the key to end', readKeyId)
    .action(runRevoke)
  addExamples(revoke, ['bursar keys revoke key_live_01k9zq4m0ve8sbn6yt2hw3c5da'])
}

async function runList(institute: string): Promise<void> {
  await withContext(async ctx => {
    const keys = await listKeys(ctx, institute)
    const rows = keys.map(key => [
      key.keyId,
      key.label,
      key.scopes.join(', '),
      key.ratePerSecond === null ? 'standard' : `${key.ratePerSecond}/s`,
      formatTime(key.createdAt),
      key.lastUsedAt === null ? 'never' : formatTime(key.lastUsedAt),
      key.revokedAt === null ? 'active' : `revoked ${formatTime(key.revokedAt)}`,
    ])
    const data = keys.map(key => ({
      key_id: key.keyId,
      label: key.label,
      scopes: key.scopes,
      ...(key.ratePerSecond === null ? {} : { rate_per_second: key.ratePerSecond }),
      ...(key.burst === null ? {} : { burst: key.burst }),
      created_at: key.createdAt,
      ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt }),
      ...(key.revokedAt === null ? {} : { revoked_at: key.revokedAt }),
    }))
    const hint = `${institute} has no keys yet. Make one: bursar keys create ${institute}`
    const headings = ['KEY', 'LABEL', 'SCOPES', 'LIMIT', 'CREATED', 'LAST USED', 'STATE']
    show(data, rows.length === 0 ? hint : formatTable(headings, rows))
  })
}

async function runCreate(institute: string, options: CreateOptions): Promise<void> {
  await withContext(async ctx => {
    const key = await createKey(ctx, institute, {
      label: options.label,
      scopes: options.scope ?? SCOPES,
      ratePerSecond: options.rate,
      burst: options.burst,
    })
    showIssued(key)
  })
}

async function runRotate(keyId: string): Promise<void> {
  await withContext(async ctx => {
    const key = await rotateKey(ctx, keyId)
    showIssued(key, [`When the ERP uses it, end the old one: bursar keys revoke ${keyId}`])
  })
}

async function runRevoke(keyId: string): Promise<void> {
  await withContext(async ctx => {
    await revokeKey(ctx, keyId)
    show({ key_id: keyId, revoked: true }, `Revoked ${keyId}. It is refused everywhere within 5 seconds.`)
  })
}

function showIssued({ keyId, secret, label, scopes }: IssuedKey, next: readonly string[] = []): void {
  const lines = [
    `Key     ${keyId}`,
    `Secret  ${secret}`,
    `Label   ${label}`,
    `Scopes  ${scopes.join(', ')}`,
    '',
    'Store the secret now: it will not be shown again.',
    ...next,
  ]
  show({ key_id: keyId, secret, label, scopes }, lines.join('\n'))
}
