import { seedDemoUser } from '../../console/auth/users.service.ts'
import { createInstitute, findInstitute } from '../../institutes/institutes.service.ts'
import { createKey, listKeys } from '../../institutes/keys.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'

/** A school with a year behind it, for people who want to look around. */
export const DEMO_SCHOOL = {
  code: 'sunrise-school',
  name: 'Sunrise School',
  branches: [{ collectorCode: 'MAIN', name: 'Main branch' }],
  key: { keyId: 'key_test_sunrise', secret: 'secret_test_sunrise' },
} as const

type SandboxInstitute = {
  code: string
  name: string
  branches: readonly { collectorCode: string; name: string }[]
  key: { keyId: string; secret: string }
}

/** Empty ones, for a developer's first calls, with published credentials. Live mode never has them. */
const EMPTY_INSTITUTES: readonly SandboxInstitute[] = [
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
]

export function sandboxInstitutes(hasDemo: boolean): readonly SandboxInstitute[] {
  return hasDemo ? [DEMO_SCHOOL, ...EMPTY_INSTITUTES] : EMPTY_INSTITUTES
}

/** Once per database, so a demo key that was revoked stays revoked; under a lock, so processes may start at once. */
export async function seedSandbox(ctx: Context, hasDemo: boolean): Promise<void> {
  const institutes = sandboxInstitutes(hasDemo)
  await ctx.db.transaction(async tx => {
    await lockSetting(tx, 'sandbox_seeded')
    if ((await readSetting(tx, 'sandbox_seeded')) === null) {
      for (const institute of institutes) await seedInstitute(ctx, institute)
      if (hasDemo) await writeSetting(tx, 'demo', 'empty')
      await writeSetting(tx, 'sandbox_seeded', 'yes')
    }
    // Apart, because sandboxes of before had institutes and no console.
    if ((await readSetting(tx, 'sandbox_console_seeded')) === null) {
      await seedPeople(ctx, tx, institutes)
      await writeSetting(tx, 'sandbox_console_seeded', 'yes')
    }
  })
}

const OPERATOR = { email: 'operator@bursar.example', name: 'Operator' }

/** Whom one click signs in to the console: an owner for each institute, and the operator. */
export function demoPeople(hasDemo: boolean): { email: string; name: string }[] {
  return [...sandboxInstitutes(hasDemo).map(ownerOf), OPERATOR]
}

function ownerOf({ code, name }: SandboxInstitute): { email: string; name: string } {
  return { email: `bursar@${code}.example`, name: `Bursar of ${name}` }
}

async function seedPeople(
  ctx: Context,
  tx: Transaction,
  institutes: readonly SandboxInstitute[],
): Promise<void> {
  for (const seed of institutes) {
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
async function seedInstitute(ctx: Context, seed: SandboxInstitute): Promise<void> {
  const { code, name, branches, key } = seed
  if ((await findInstitute(ctx, code)) === null) {
    await createInstitute(ctx, { code, name, branches, strictCatalogue: false })
  }
  if ((await listKeys(ctx, code)).length === 0) {
    await createKey(ctx, code, { label: 'published test key', scopes: ['read', 'write'], fixed: key })
  }
}
