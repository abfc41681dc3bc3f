import { createInstitute, findInstitute } from '../institutes/institutes.service.ts'
import { createKey, listKeys } from '../institutes/keys.service.ts'
import type { Ground } from '../platform/ground.ts'
import { lockSetting, readSetting, writeSetting } from '../platform/settings.ts'

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
export async function seedSandbox(ground: Ground): Promise<void> {
  await ground.db.transaction(async tx => {
    await lockSetting(tx, 'sandbox_seeded')
    if ((await readSetting(tx, 'sandbox_seeded')) !== null) return
    for (const institute of SANDBOX_INSTITUTES) await seedInstitute(ground, institute)
    await writeSetting(tx, 'sandbox_seeded', 'yes')
  })
}

/** Each step is looked for first: a start that was killed midway is finished by the next. */
async function seedInstitute(ground: Ground, seed: (typeof SANDBOX_INSTITUTES)[number]): Promise<void> {
  const { code, name, branches, key } = seed
  if ((await findInstitute(ground, code)) === null) {
    await createInstitute(ground, { code, name, branches, strictCatalogue: false })
  }
  if ((await listKeys(ground, code)).length === 0) {
    await createKey(ground, code, { label: 'published test key', scopes: ['read', 'write'], fixed: key })
  }
}
