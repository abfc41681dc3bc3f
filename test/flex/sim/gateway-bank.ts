import assert from 'node:assert/strict'
import { lose, status } from '../../../emulators/faults.ts'
import { addAccount } from '../../../src/providers/accounts/accounts.service.ts'
import type { Rail } from '../../../src/flex/rules/rails.rules.ts'
import { deliverAll, deliverAtRandom } from '../../sim/gateway-storm.ts'
import { type Gateway, type GatewayName, GATEWAYS } from '../../sim/gateways.ts'
import { doLater } from './acts-support.ts'
import type { Pupil } from './erp.ts'
import type { OpenBank, Town } from './town.ts'
import type { TownBank } from './town.ts'

/** Payments and mandates of a town at a vendor's emulator: its banks decide from day to day, and much gets lost. */
export function gatewayBank(name: GatewayName, accountOf: AccountOf = 'installation'): OpenBank {
  return async (owner, now) => {
    const gateway = await GATEWAYS[name](now)
    owner.after(() => gateway.close())
    return new GatewayBank(gateway, accountOf)
  }
}

/** Whose account at the vendor it is. */
export type AccountOf = 'installation' | 'school'

class GatewayBank implements TownBank {
  readonly acts: TownBank['acts']
  readonly #gateway: Gateway
  readonly #accountOf: AccountOf
  readonly #takenBack = new Set<string>()
  readonly #utrs = new Set<string>()

  constructor(gateway: Gateway, accountOf: AccountOf) {
    this.#gateway = gateway
    this.#accountOf = accountOf
    this.acts = [
      { name: 'revoke', weight: 2, run: (town, pupil) => this.#revoke(town, pupil) },
      { name: 'mandate paused', weight: 2, run: (town, pupil) => this.#pause(town, pupil) },
      { name: 'taken back', weight: 2, run: (town, pupil) => this.#takeBack(town, pupil) },
    ]
  }

  get env(): Record<string, string> {
    const { apiEnv, keysEnv } = this.#gateway
    return this.#accountOf === 'installation' ? { ...apiEnv, ...keysEnv } : apiEnv
  }

  async prepare(town: Town): Promise<void> {
    if (this.#accountOf === 'installation') return
    const { name: provider, keys } = this.#gateway
    const uses = { methods: ['upi', 'card', 'netbanking'], rails: ['enach', 'upi_autopay'] } as const
    const wanted = { provider, title: 'Own', collectorCode: null, settings: keys, ...uses }
    const institute = town.institute({ school: 'demo-school' })
    const whose = { institute, by: 'owner@school.example' }
    const { id } = await addAccount(town.ctx, { instituteId: institute.id }, whose, wanted)
    this.#gateway.callbackPath = `/callbacks/${provider}/${id}`
  }

  payer: TownBank['payer'] = {
    pay: async (town, pupil, paymentId) => {
      // A page that was paid in another tab cannot be paid again.
      if (this.#gateway.books.open().includes(paymentId)) await this.#gateway.payer.pay(paymentId)
      if (town.isCalm) await deliverAll(this.#gateway, town.as(pupil))
      else await deliverAtRandom(this.#gateway, town.as(pupil), town.random)
    },
    fail: async (_town, _pupil, paymentId) => {
      if (this.#gateway.books.open().includes(paymentId)) await this.#gateway.payer.fail(paymentId)
    },
  }

  /** A vendor's bank takes a UTR once, and tells of it as badly as of everything. */
  async transfer(town: Town, pupil: Pupil, sent: { paise: number; utr: string }): Promise<void> {
    const [account] = await town.sql<{ ref: string }>(
      `select provider_ref as ref from virtual_accounts where student_id = $1 and state = 'active'`,
      [pupil.studentId],
    )
    assert.ok(account)
    if (!this.#utrs.has(sent.utr)) {
      this.#utrs.add(sent.utr)
      await this.#gateway.bank.transfer(account.ref, { ...sent, name: 'Asha Rao' })
    }
    await deliverAtRandom(this.#gateway, town.as(pupil), town.random)
  }

  async authorise(town: Town, pupil: Pupil): Promise<void> {
    const mandate = await newestMandate(town, pupil, ['pending'])
    assert.ok(mandate)
    await this.#gateway.payer.approve(mandate.id)
    await deliverAtRandom(this.#gateway, town.as(pupil), town.random)
  }

  async isGoingBack(town: Town, orderId: string): Promise<boolean> {
    const payments = await town.sql<{ id: string }>('select id from payments where order_id = $1', [orderId])
    return payments.some(({ id }) => this.#takenBack.has(id))
  }

  async passDay(town: Town): Promise<void> {
    const { books, bank, spoil, bounces } = this.#gateway
    const { random, isCalm } = town
    this.#gateway.passNight()
    for (const id of books.unconfirmed())
      if (random.chance(0.6)) await (!isCalm && random.chance(0.05) ? bank.refuse(id) : bank.confirm(id))
    for (const id of books.presented()) {
      if (!isCalm && random.chance(0.3)) continue
      const why = !isCalm && random.chance(0.25) ? random.pick(bounces) : undefined
      await (why === undefined ? bank.debit(id) : bank.bounce(id, why, await railOf(town, id)))
    }
    for (const id of books.pendingRefunds()) if (isCalm || random.chance(0.5)) await bank.processRefund(id)
    await bank.settle()
    await deliverAtRandom(this.#gateway, town.as({ school: 'demo-school' }), random)
    if (!isCalm && random.chance(0.4)) spoil('', random.pick([lose, status(502), status(429)]) ?? lose)
  }

  async expectSame({ sql }: Town): Promise<void> {
    const { books, name } = this.#gateway
    const known = await sql<{ id: string; utr: string | null }>(
      `select p.id, c.utr from payments p
       left join virtual_account_credits c on c.institute_id = p.institute_id and c.payment_id = p.id
       where p.state = 'captured' and p.provider = $1 order by p.id`,
      [name],
    )
    assert.deepEqual(
      known.filter(({ utr }) => utr === null).map(({ id }) => id),
      [...books.paid(), ...books.debited()].sort(),
    )
    assert.deepEqual(known.flatMap(({ utr }) => utr ?? []).sort(), [...this.#utrs].sort())
    for (const made of [books.debits(), books.refunds()])
      assert.equal(new Set(made).size, made.length, 'something was made twice')
  }

  async #revoke(town: Town, pupil: Pupil): Promise<string> {
    const mandate = await newestMandate(town, pupil, ['active'])
    if (mandate === null) return 'nothing'
    await this.#gateway.payer.revoke(mandate.id)
    return mandate.id
  }

  async #pause(town: Town, pupil: Pupil): Promise<string> {
    const mandate = await newestMandate(town, pupil, ['active'])
    if (mandate === null) return 'nothing'
    const { payer } = this.#gateway
    await payer.pause?.(mandate.id)
    doLater(town, town.random.between(1, 6), async () => {
      const now = await newestMandate(town, pupil, ['active'])
      if (now?.id === mandate.id) await payer.resume?.(mandate.id)
    })
    return mandate.id
  }

  /** The family disputes a debit at its bank, and the school loses. One that was refunded too is a case for a person. */
  async #takeBack(town: Town, pupil: Pupil): Promise<string> {
    const paid = await town.sql<{ id: string }>(
      `select p.id from flex_instalments i join payments p on p.institute_id = i.institute_id and p.order_id = i.order_id
       where i.plan_id = $1 and i.state in ('debited', 'settled') and p.state = 'captured' and not i.is_downpayment
         and not exists (select from refunds r where r.institute_id = p.institute_id and r.payment_id = p.id)
       order by p.id`,
      [pupil.planId],
    )
    const one = town.random.pick(paid.filter(({ id }) => !this.#takenBack.has(id)))
    if (one === undefined) return 'nothing'
    this.#takenBack.add(one.id)
    await this.#gateway.bank.takeBack(one.id)
    return one.id
  }
}

async function newestMandate(
  town: Town,
  pupil: Pupil,
  states: readonly string[],
): Promise<{ id: string } | null> {
  const [mandate] = await town.sql<{ id: string; state: string }>(
    `select id, state from flex_mandates where plan_id = $1 order by created_at desc, id desc limit 1`,
    [pupil.planId],
  )
  return mandate !== undefined && states.includes(mandate.state) ? mandate : null
}

async function railOf({ sql }: Town, paymentId: string): Promise<Rail> {
  const [row] = await sql<{ mode: Rail }>('select mode from payments where id = $1', [paymentId])
  return row?.mode ?? 'enach'
}
