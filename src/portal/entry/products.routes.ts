import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { addRead } from '../../http/endpoint.ts'
import { ok } from '../../http/envelope.ts'
import { answerAll } from '../../http/wire/answers.ts'
import { studentParams } from '../../students/student.input.ts'
import { productsQuery } from './entry.input.ts'
import { productOutput } from './entry.output.ts'
import { listProducts } from './products.service.ts'

/** A student's orders, plans and loans for the ERP. */
export function productRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: '/api/v1/integrations/erp/students/:service_student_id/products',
    docs: {
      operationId: 'listProducts',
      tag: 'Students',
      summary: 'List the products of a student',
      description:
        'What the student has: payments of its dues begun on the parents’ pages, instalment plans, loan applications. Newest ' +
        'first, whole, at most 200 of each.',
      errors: [404],
      answers: { 200: answerAll('What there is.', productOutput) },
    },
    params: studentParams,
    query: productsQuery,
    async answer({ caller, params, query }) {
      const products = await listProducts(ctx, caller.institute, params.studentId, query.product)
      return ok(products.map(product => productOutput.toJson(product)))
    },
  })
}
