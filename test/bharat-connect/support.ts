import { setBiller, renewCredentials } from '../../src/bharat-connect/biller.service.ts'
import type { SecondIdentifier } from '../../src/bharat-connect/biller-port.ts'
import type { AmountRule } from '../../src/bharat-connect/bills.rules.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { SetuUnit } from '../../emulators/setu/unit.ts'
import type { BursarContext } from '../../src/app/context.ts'

type Wanted = { code?: string; isOn?: boolean; secondIdentifier?: SecondIdentifier; amountRule?: AmountRule }

const units = new Map<string, SetuUnit>()

/** Makes a school a biller, or changes how it is one, and gives the unit that calls for it. */
export async function openUnit(
  { app, url }: { app: { ctx: BursarContext }; url: string },
  {
    code = 'demo-school',
    isOn = true,
    secondIdentifier = 'date_of_birth',
    amountRule = 'part_payments',
  }: Wanted = {},
): Promise<SetuUnit> {
  const institute = await getInstitute(app.ctx, code)
  const who = { institute, by: 'owner@school.example.in' }
  await setBiller(app.ctx, { instituteId: institute.id }, who, { isOn, secondIdentifier, amountRule })
  const baseUrl = `${url}/bharat-connect/${code}`
  const known = units.get(baseUrl)
  if (known !== undefined) return known
  const { schemeId, secret } = await renewCredentials(app.ctx, { instituteId: institute.id }, who)
  const unit = new SetuUnit({ baseUrl, schemeId, secret, clock: app.ctx.clock })
  units.set(baseUrl, unit)
  return unit
}
