import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { addRead } from '../../http/endpoint.ts'
import { all } from '../../http/reply.ts'
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
      tag: 'Hosted entry',
      summary: 'List the products of a student',
      description:
        'What the student has: payments of its dues begun on the parents’ pages, instalment plans, loan applications. Newest ' +
        'first, whole, at most 200 of each.',
      errors: [404],
    },
    output: all(productOutput),
    params: studentParams,
    query: productsQuery,
    answer: ({ caller, params, query }) =>
      listProducts(ctx, caller.institute, params.studentId, query.product),
  })
}
