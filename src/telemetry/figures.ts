/**
 * The list of what is counted, with names, labels and buckets. Neighbours: `metrics.ts` counts;
 * `docs/reference/telemetry.md` explains each. Knows no report.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type Figures = ReturnType<typeof createFigures>

// From a small model around the corner to a long thought; an answer may take minutes.
const FIRST_BYTE_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]
const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 600]

// From a rule in microseconds to a person in minutes.
const JUDGMENT_BUCKETS = [0.0001, 0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** All of them, in a registry of their own. */
export function createFigures(registry: Registry) {
  const registers = [registry]
  return {
    exchanges: new Counter({
      name: 'sluice_exchanges_total',
      help: 'Exchanges that are over',
      labelNames: ['endpoint', 'wire', 'upstream_wire', 'route', 'upstream', 'status', 'outcome'],
      registers,
    }),
    firstByte: new Histogram({
      name: 'sluice_time_to_first_byte_seconds',
      help: 'From the request to the first byte of the answer to the client',
      labelNames: ['wire', 'upstream', 'stream'],
      buckets: FIRST_BYTE_BUCKETS,
      registers,
    }),
    duration: new Histogram({
      name: 'sluice_exchange_duration_seconds',
      help: 'From the request to the end of the answer',
      labelNames: ['wire', 'upstream', 'stream'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    tokens: new Counter({
      name: 'sluice_tokens_total',
      help: 'Tokens that upstreams reported; reasoning is a part of output',
      labelNames: ['kind', 'upstream', 'route'],
      registers,
    }),
    open: new Gauge({
      name: 'sluice_open_exchanges',
      help: 'Exchanges that are under way',
      registers,
    }),
    violations: new Counter({
      name: 'sluice_violations_total',
      help: 'Frames of ours that broke the grammar of their wire',
      labelNames: ['wire'],
      registers,
    }),
    losses: new Counter({
      name: 'sluice_losses_total',
      help: 'What a translation could not carry',
      labelNames: ['kind', 'what'],
      registers,
    }),
    verdicts: new Counter({
      name: 'sluice_verdicts_total',
      help: 'What policies decided; those in shadow only said so',
      labelNames: ['policy', 'type', 'shadow'],
      registers,
    }),
    judgments: new Histogram({
      name: 'sluice_judgment_duration_seconds',
      help: 'How long policies took for a verdict',
      labelNames: ['policy'],
      buckets: JUDGMENT_BUCKETS,
      registers,
    }),
    retries: new Counter({
      name: 'sluice_retries_total',
      help: 'Attempts that were made because the one before, at this upstream, failed for this reason',
      labelNames: ['upstream', 'reason'],
      registers,
    }),
    attempts: new Counter({
      name: 'sluice_upstream_attempts_total',
      help: 'Requests to upstreams, by the status of the answer, or what went wrong before one',
      labelNames: ['upstream', 'status'],
      registers,
    }),
    circuit: new Gauge({
      name: 'sluice_circuit_state',
      help: 'The circuit of an upstream: 0 closed, 1 half open, 2 open',
      labelNames: ['upstream'],
      aggregator: 'max',
      registers,
    }),
    bytes: new Counter({
      name: 'sluice_bytes_total',
      help: 'Bytes of bodies, in from clients and out to them',
      labelNames: ['direction'],
      registers,
    }),
    records: new Counter({
      name: 'sluice_records_total',
      help: 'Exchanges that were recorded, or that were refused because they could not be',
      labelNames: ['result'],
      registers,
    }),
    recordBodiesDropped: new Counter({
      name: 'sluice_record_bodies_dropped_total',
      help: 'Bodies of recorded exchanges that there was no room for',
      registers,
    }),
    recordsWaiting: new Gauge({
      name: 'sluice_records_waiting',
      help: 'Exchanges that are over and on their way to the store',
      registers,
    }),
    recordsState: new Gauge({
      name: 'sluice_records_state',
      help: 'The store: 0 takes everything, 1 takes no bodies, 2 takes nothing at the moment',
      aggregator: 'max',
      registers,
    }),
    reloads: new Counter({
      name: 'sluice_config_reloads_total',
      help: 'Readings of the configuration after the start',
      labelNames: ['result'],
      registers,
    }),
    build: new Gauge({
      name: 'sluice_build_info',
      help: 'The version that runs',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers,
    }),
  }
}
