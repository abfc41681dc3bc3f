import type { FlexSettings } from '../../flex/rules/schedule.rules.ts'
import { field, ifSent, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { BranchHealth } from './flex.service.ts'
import { FETCH_OUTCOMES, type FetchSum } from './debits.store.ts'

/** The default plan of a school. */
export const settingsInput = input({
  product_name: ifSent(field.code('What parents know it as.', 'Fee instalments')),
  instalments: ifSent(field.wholeNumber('How many, monthly.', 10, [1, 36])),
  day_of_month: ifSent(field.wholeNumber('On which day they are due.', 5, [1, 28])),
  downpayment_percent: ifSent(field.wholeNumber('What is paid at set-up; 0 for nothing.', 10, [0, 90])),
  offered: ifSent(
    field.list(
      'Other numbers of instalments that parents may choose, where they end inside the academic year; [] for none.',
      field.wholeNumber('How many, monthly.', 6, [1, 36]),
      { max: 6 },
    ),
  ),
  reason: field.text('Why; stands in the audit log.', 'New school year'),
})

const AT = '2026-11-15T04:00:00.000Z'

const settings = outputOf<FlexSettings>()
export const settingsOutput = settings.object({
  product_name: settings.text('What parents know it as.', 'Fee instalments'),
  instalments: settings.integer('How many, monthly.', 10),
  day_of_month: settings.integer('On which day they are due.', 5),
  downpayment_percent: settings.integer('What is paid at set-up; 0 for nothing.', 0),
  offered: settings.integers('Other numbers of instalments that parents may choose.', [3, 6]),
})

const problem = outputOf<FetchSum, unknown>()
const branch = outputOf<BranchHealth, unknown>()
const erp = outputOf<{ branches: readonly BranchHealth[] }>()
export const erpOutput = erp.object({
  branches: erp.list(
    'How the ERP of each branch answered in the last 24 hours.',
    branch.object({
      collector_code: branch.text('The branch.', 'MAIN'),
      name: branch.text('Its name.', 'Main'),
      host: branch.optional.text('Which ERP is asked; absent when none is.', 'erp.example.in'),
      found: branch.integer('Answers that named the student.', 120),
      refused: branch.integer('Answers that refused.', 2),
      unavailable: branch.integer('Calls without a usable answer.', 1),
      last_at: branch.optional.moment('When it was last asked, by the clock.', AT),
      problems: branch.list(
        'The most frequent first.',
        problem.object({
          outcome: problem.oneOf(FETCH_OUTCOMES, 'Refused, or not to be had.'),
          code: problem.optional.text("The ERP's code, or ours.", 'data_error'),
          message: problem.optional.text('What was said last.', 'The fee is being revised.'),
          count: problem.integer('How often.', 2),
          last_at: problem.moment('When last.', AT),
        }),
      ),
    }),
  ),
})

export type SettingsAnswer = Shown<typeof settingsOutput>
export type ErpAnswer = Shown<typeof erpOutput>
