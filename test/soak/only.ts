/**
 * One exchange of an endurance test, alone: what was planned, what came, and whether that is proper. Neighbours: `run.ts`.
 */
import { startFaultyUpstream } from '../../src/testkit/faulty-upstream.ts'
import { createClients } from './client.ts'
import { startSoaked } from './gateway.ts'
import { toPlan, type PlanOptions } from './plan.ts'

export async function askOnly(
  number: number,
  options: PlanOptions & { readonly folder: string },
): Promise<string> {
  const plan = toPlan(options, number)
  const upstream = await startFaultyUpstream()
  const gateway = await startSoaked(upstream.url, options)
  const clients = createClients(gateway.url, 'only')
  try {
    const { call, asked } = clients.begin(plan)
    const { headers, body, end } = await call.answer
    const { came, status, why, ms } = await asked
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    return [
      JSON.stringify(plan, undefined, 2),
      `${status} ${end}`,
      ...head,
      '',
      body.toString().slice(0, 20_000),
      `after ${Math.round(ms)} ms: ${came}${why === undefined ? '' : `: ${why}`}`,
      ...gateway.said,
    ].join('\n')
  } finally {
    clients.closeIdle()
    await gateway.stop()
    await upstream.close()
  }
}
