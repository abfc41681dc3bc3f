import { seedDemoUser } from '../../console/auth/users.service.ts'
import { createInstitute, findInstitute } from '../../institutes/institutes.service.ts'
import { createKey, listKeys } from '../../institutes/keys.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'

/** The institutes and published credentials that every sandbox has. Live mode never runs this. */
export const SANDBOX_INSTITUTES = [
  {
    code: 'demo-school',
    name: 'Demo School',
    branches: [{ collectorCode: 'MAIN', name: 'Main branch' }],
    key: { keyId: 'key_test_demo', secret: 'secret_test_demo' },
  },
  {
    code: 'demo-group',
    name: 'Demo Group',
    branches: [
      { collectorCode: 'NORTH', name: 'North branch' },
      { collectorCode: 'SOUTH', name: 'South branch' },
    ],
    key: { keyId: 'key_test_group', secret: 'secret_test_group' },
  },
] as const

/** Once per database, so a demo key that was revoked stays revoked; under a lock, so processes may start at once. */
export async function seedSandbox(ctx: Context): Promise<void> {
  await ctx.db.transaction(async tx => {
    await lockSetting(tx, 'sandbox_seeded')
    if ((await readSetting(tx, 'sandbox_seeded')) === null) {
      for (const institute of SANDBOX_INSTITUTES) await seedInstitute(ctx, institute)
      await writeSetting(tx, 'sandbox_seeded', 'yes')
    }
    // Apart, because sandboxes of before had institutes and no console.
    if ((await readSetting(tx, 'sandbox_console_seeded')) === null) {
      await seedPeople(ctx, tx)
      await writeSetting(tx, 'sandbox_console_seeded', 'yes')
    }
  })
}

const OPERATOR = { email: 'operator@bursar.example', name: 'Operator' }

/** Whom one click signs in to the console: an owner for each institute, and the operator. */
export const DEMO_PEOPLE: readonly { email: string; name: string }[] = [
  ...SANDBOX_INSTITUTES.map(ownerOf),
  OPERATOR,
]

function ownerOf({ code, name }: (typeof SANDBOX_INSTITUTES)[number]): { email: string; name: string } {
  return { email: `bursar@${code}.example`, name: `Bursar of ${name}` }
}

async function seedPeople(ctx: Context, tx: Transaction): Promise<void> {
  for (const seed of SANDBOX_INSTITUTES) {
    const institute = await findInstitute(ctx, seed.code)
    if (institute === null) continue
    await seedDemoUser(tx, {
      ...ownerOf(seed),
      isOperator: false,
      member: { institute, role: 'owner' },
    })
  }
  await seedDemoUser(tx, { ...OPERATOR, isOperator: true, member: null })
}

/** Each step is looked for first: a start that was killed midway is finished by the next. */
async function seedInstitute(ctx: Context, seed: (typeof SANDBOX_INSTITUTES)[number]): Promise<void> {
  const { code, name, branches, key } = seed
  if ((await findInstitute(ctx, code)) === null) {
    await createInstitute(ctx, { code, name, branches, strictCatalogue: false })
  }
  if ((await listKeys(ctx, code)).length === 0) {
    await createKey(ctx, code, { label: 'published test key', scopes: ['read', 'write'], fixed: key })
  }
}
