import { listApplications } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listPlansOf } from '../../flex/plans/plans.service.ts'
import { sumsOf } from '../../flex/rules/plan.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { stateAt, totalOf } from '../../orders/orders.rules.ts'
import { listDuesOrders } from '../../orders/orders.service.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { getStudent } from '../../students/students.service.ts'
import type { Product } from '../sign-in/sign-in.rules.ts'

/** One order, plan or loan application. */
export type StudentProduct = {
  product: Product
  id: string
  status: string
  amountPaise: Paise | null
  paidPaise: Paise | null
  createdAt: Date
}

const MOST = 200

type ProductOwner = { instituteId: number; institute: Institute; studentId: string }
type Lister = (ctx: LoanContext, target: ProductOwner) => Promise<StudentProduct[]>

const LISTERS: Record<Product, Lister> = { pay: listPay, flex: listFlex, cred: listLoans }

/** Newest first, at most MOST of each product. */
export async function listProducts(
  ctx: LoanContext,
  institute: Institute,
  studentId: string,
  wanted: Product | undefined,
): Promise<StudentProduct[]> {
  await getStudent(ctx, institute, studentId)
  const target = { instituteId: institute.id, institute, studentId }
  const listers = wanted === undefined ? Object.values(LISTERS) : [LISTERS[wanted]]
  const found = await Promise.all(listers.map(list => list(ctx, target)))
  return found.flat().toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

async function listPay(
  ctx: LoanContext,
  { instituteId, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const orders = await listDuesOrders(ctx, instituteId, studentId, MOST)
  const now = ctx.clock.now()
  return orders.map(order => {
    const state = stateAt(order, now)
    const isPaid = state === 'paid'
    return {
      product: 'pay',
      id: order.id,
      status: isPaid || state === 'unpaid' ? state : 'closed',
      amountPaise: totalOf(order),
      paidPaise: isPaid ? totalOf(order) : ZERO,
      createdAt: order.createdAt,
    }
  })
}

async function listFlex(
  ctx: LoanContext,
  { instituteId, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const files = await listPlansOf(ctx, instituteId, studentId, MOST)
  return files.map(file => {
    const { totalPaise, paidPaise } = sumsOf(file)
    const { id, state, createdAt } = file.plan
    return { product: 'flex', id, status: state, amountPaise: totalPaise, paidPaise, createdAt }
  })
}

async function listLoans(
  ctx: LoanContext,
  { institute, studentId }: ProductOwner,
): Promise<StudentProduct[]> {
  const { rows: applications } = await listApplications(ctx, institute, { studentId }, { limit: MOST })
  return applications.map(({ id, state, amountPaise, createdAt }) => {
    return { product: 'cred', id, status: state, amountPaise, paidPaise: null, createdAt }
  })
}
