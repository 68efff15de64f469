import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import perfHooks from 'node:perf_hooks'
import { describe, expect, test, vi } from 'vitest'
import { Registry } from 'prom-client'
import { createFigures } from './figures.ts'
import { createMetrics, mergeSnapshots, type Metrics, type MetricsSnapshot } from './metrics.ts'
import { attempt, report, verdict } from '../../test/support/sample-report.ts'

const create = (): Metrics => createMetrics({ version: '1.2.3', hasProcess: false })

/** The lines of one metric, without its help. */
async function lines(metrics: Metrics | string, name: string): Promise<string[]> {
  const text = typeof metrics === 'string' ? metrics : await metrics.text()
  return text.split('\n').filter((line) => line.startsWith(name))
}

describe('an exchange', () => {
  test('is counted by where it came from and how it ended', async () => {
    const metrics = create()
    metrics.exchange(report())
    metrics.exchange(report())
    metrics.exchange(
      report({
        upstreamWire: undefined,
        route: undefined,
        upstream: undefined,
        status: 401,
        outcome: 'refused',
      }),
    )
    expect(await lines(metrics, 'sluice_exchanges_total')).toEqual([
      'sluice_exchanges_total{endpoint="/v1/messages",wire="anthropic-messages",upstream_wire="openai-responses",route="claude-*",upstream="openai",status="200",outcome="done"} 2',
      'sluice_exchanges_total{endpoint="/v1/messages",wire="anthropic-messages",upstream_wire="",route="",upstream="",status="401",outcome="refused"} 1',
    ])
  })

  test('is timed', async () => {
    const metrics = create()
    metrics.exchange(report())
    metrics.exchange(report({ durationMs: 700_000, firstByteMs: undefined }))
    const labels = '{wire="anthropic-messages",upstream="openai",stream="true"}'
    expect(await lines(metrics, 'sluice_exchange_duration_seconds_')).toEqual(
      expect.arrayContaining([
        'sluice_exchange_duration_seconds_bucket{le="1",wire="anthropic-messages",upstream="openai",stream="true"} 0',
        'sluice_exchange_duration_seconds_bucket{le="2.5",wire="anthropic-messages",upstream="openai",stream="true"} 1',
        'sluice_exchange_duration_seconds_bucket{le="600",wire="anthropic-messages",upstream="openai",stream="true"} 1',
        'sluice_exchange_duration_seconds_bucket{le="+Inf",wire="anthropic-messages",upstream="openai",stream="true"} 2',
        `sluice_exchange_duration_seconds_sum${labels} 701.2345`,
        `sluice_exchange_duration_seconds_count${labels} 2`,
      ]),
    )
    expect(await lines(metrics, 'sluice_time_to_first_byte_seconds_count')).toEqual([
      `sluice_time_to_first_byte_seconds_count${labels} 1`,
    ])
  })

  test('adds its tokens and bytes', async () => {
    const metrics = create()
    metrics.exchange(report())
    metrics.exchange(report({ usage: { inputTokens: 1, cacheWriteTokens: 5, outputTokens: 0 } }))
    metrics.exchange(
      report({ usage: { inputTokens: -1, outputTokens: Number.NaN, reasoningTokens: Infinity } }),
    )
    expect(await lines(metrics, 'sluice_tokens_total')).toEqual([
      'sluice_tokens_total{kind="input",upstream="openai",route="claude-*"} 101',
      'sluice_tokens_total{kind="cache_read",upstream="openai",route="claude-*"} 900',
      'sluice_tokens_total{kind="cache_write",upstream="openai",route="claude-*"} 5',
      'sluice_tokens_total{kind="output",upstream="openai",route="claude-*"} 50',
      'sluice_tokens_total{kind="reasoning",upstream="openai",route="claude-*"} 20',
    ])
    expect(await lines(metrics, 'sluice_bytes_total')).toEqual([
      'sluice_bytes_total{direction="in"} 6144',
      'sluice_bytes_total{direction="out"} 12288',
    ])
  })

  test('adds its attempts, and as retries those that followed a failure', async () => {
    const metrics = create()
    metrics.exchange(
      report({
        attempts: [
          attempt({
            upstream: 'anthropic',
            status: 529,
            fault: { kind: 'overloaded', message: 'x' },
          }),
          attempt({
            upstream: 'anthropic',
            status: undefined,
            fault: { kind: 'timeout', message: 'x' },
          }),
          attempt({ upstream: 'local', status: 503 }),
          attempt(),
        ],
      }),
    )
    expect(await lines(metrics, 'sluice_upstream_attempts_total')).toEqual([
      'sluice_upstream_attempts_total{upstream="anthropic",status="529"} 1',
      'sluice_upstream_attempts_total{upstream="anthropic",status="timeout"} 1',
      'sluice_upstream_attempts_total{upstream="local",status="503"} 1',
      'sluice_upstream_attempts_total{upstream="openai",status="200"} 1',
    ])
    expect(await lines(metrics, 'sluice_retries_total')).toEqual([
      'sluice_retries_total{upstream="anthropic",reason="overloaded"} 1',
      'sluice_retries_total{upstream="anthropic",reason="timeout"} 1',
      'sluice_retries_total{upstream="local",reason="503"} 1',
    ])
  })

  test('adds its violations and losses', async () => {
    const metrics = create()
    const losses = [
      { kind: 'dropped', what: 'server-tool web_search', count: 2 },
      { kind: 'dropped', what: 'server-tool other_tool', count: 1 },
      { kind: 'approximated', what: 'finish pause', count: 1 },
    ] as const
    metrics.exchange(report({ losses, violations: 2 }))
    expect(await lines(metrics, 'sluice_losses_total')).toEqual([
      'sluice_losses_total{kind="dropped",what="server-tool"} 3',
      'sluice_losses_total{kind="approximated",what="finish"} 1',
    ])
    expect(await lines(metrics, 'sluice_violations_total')).toEqual([
      'sluice_violations_total{wire="anthropic-messages"} 2',
    ])
  })

  test('and the verdicts of policies, with their time, whenever they come', async () => {
    const metrics = create()
    metrics.verdict(verdict())
    metrics.verdict(verdict({ tookMs: 800 }))
    metrics.verdict(verdict({ policy: 'judge', type: 'pass', isShadow: true, tookMs: 400 }))
    expect(await lines(metrics, 'sluice_verdicts_total')).toEqual([
      'sluice_verdicts_total{policy="rules",type="deny",shadow="false"} 2',
      'sluice_verdicts_total{policy="judge",type="pass",shadow="true"} 1',
    ])
    const timed = await lines(metrics, 'sluice_judgment_duration_seconds')
    expect(timed).toContain('sluice_judgment_duration_seconds_bucket{le="0.0001",policy="rules"} 1')
    expect(timed).toContain('sluice_judgment_duration_seconds_bucket{le="1",policy="rules"} 2')
    expect(timed).toContain('sluice_judgment_duration_seconds_count{policy="judge"} 1')
  })

  test('cannot make a label for every policy that there ever was', async () => {
    const metrics = create()
    for (let at = 0; at < 1000; at++) metrics.verdict(verdict({ policy: `p${at}` }))
    expect(await lines(metrics, 'sluice_verdicts_total')).toHaveLength(201)
  })

  test('cannot make labels without end', async () => {
    const metrics = create()
    for (let i = 0; i < 1000; i++)
      metrics.exchange(
        report({
          id: `id-${i}`,
          model: `model-${i}`,
          upstreamModel: `model-${i}`,
          answerModel: `model-${i}`,
          client: `client-${i}`,
          losses: [{ kind: 'dropped', what: `thing-${i} of theirs`, count: 1 }],
        }),
      )
    expect(await lines(metrics, 'sluice_exchanges_total')).toHaveLength(1)
    expect(await lines(metrics, 'sluice_losses_total')).toHaveLength(51)
    expect(await lines(metrics, 'sluice_losses_total{kind="dropped",what="other"}')).toEqual([
      'sluice_losses_total{kind="dropped",what="other"} 950',
    ])
    expect((await metrics.text()).split('\n').length).toBeLessThan(200)
  })
})

test('open exchanges, circuits, reloads and the build are shown', async () => {
  const metrics = create()
  metrics.opened()
  metrics.opened()
  metrics.closed()
  metrics.circuit('a', 'open')
  metrics.circuit('b', 'half-open')
  metrics.circuit('c', 'closed')
  metrics.circuit('d', 'open')
  metrics.circuit('d', 'gone')
  metrics.reload(true)
  metrics.reload(false)
  expect(await lines(metrics, 'sluice_open_exchanges')).toEqual(['sluice_open_exchanges 1'])
  expect(await lines(metrics, 'sluice_circuit_state')).toEqual([
    'sluice_circuit_state{upstream="a"} 2',
    'sluice_circuit_state{upstream="b"} 1',
    'sluice_circuit_state{upstream="c"} 0',
  ])
  expect(await lines(metrics, 'sluice_config_reloads_total')).toEqual([
    'sluice_config_reloads_total{result="ok"} 1',
    'sluice_config_reloads_total{result="failed"} 1',
  ])
  expect(await lines(metrics, 'sluice_build_info')).toEqual([
    `sluice_build_info{version="1.2.3",node="${process.version}"} 1`,
  ])
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('a label cannot break the text', async () => {
  const metrics = create()
  metrics.exchange(report({ route: 'a"b\\c\nd' }))
  expect(await lines(metrics, 'sluice_tokens_total{kind="input"')).toEqual([
    'sluice_tokens_total{kind="input",upstream="openai",route="a\\"b\\\\c\\nd"} 100',
  ])
})

describe('several workers', () => {
  /** As it comes from another process. */
  const sent = (snapshot: MetricsSnapshot): MetricsSnapshot =>
    JSON.parse(JSON.stringify(snapshot)) as MetricsSnapshot

  test('are added up', async () => {
    const workers = [create(), create(), create()]
    for (const worker of workers) {
      worker.opened()
      worker.exchange(report())
    }
    workers[0]?.circuit('openai', 'half-open')
    workers[1]?.circuit('openai', 'open')
    workers[2]?.circuit('openai', 'closed')
    workers[2]?.circuit('local', 'half-open')
    const snapshots = await Promise.all(workers.map((worker) => worker.snapshot()))
    const text = await mergeSnapshots(snapshots.map(sent))
    const labels = '{wire="anthropic-messages",upstream="openai",stream="true"}'
    expect(await lines(text, 'sluice_open_exchanges')).toEqual(['sluice_open_exchanges 3'])
    expect(await lines(text, 'sluice_tokens_total{kind="output"')).toEqual([
      'sluice_tokens_total{kind="output",upstream="openai",route="claude-*"} 150',
    ])
    expect(await lines(text, 'sluice_exchange_duration_seconds_count')).toEqual([
      `sluice_exchange_duration_seconds_count${labels} 3`,
    ])
    expect(await lines(text, 'sluice_circuit_state')).toEqual([
      'sluice_circuit_state{upstream="openai"} 2',
      'sluice_circuit_state{upstream="local"} 1',
    ])
    expect(await lines(text, 'sluice_build_info')).toEqual([
      `sluice_build_info{version="1.2.3",node="${process.version}"} 1`,
    ])
  })

  test('of which there is one say the same as it does alone', async () => {
    const metrics = create()
    metrics.exchange(report())
    const merged = await mergeSnapshots([sent(await metrics.snapshot())])
    const sorted = (text: string): string[] =>
      text
        .split('\n')
        .map((line) =>
          line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').sort().join()),
        )
        .sort()
    expect(sorted(merged)).toEqual(sorted(await metrics.text()))
  })

  test('give a text that can be read, also of the process itself', async () => {
    const metrics = createMetrics({ version: '1.2.3' })
    const merged = await mergeSnapshots([
      sent(await metrics.snapshot()),
      sent(await metrics.snapshot()),
    ])
    expect(await lines(merged, 'process_resident_memory_bytes')).toHaveLength(1)
    for (const text of [merged, await metrics.text()]) {
      const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      for (const line of values)
        expect(line).toMatch(/^[a-z0-9_]+(?:\{.*\})? (?:[-+\d.e]+|Nan|NaN)$/)
      expect(values.length).toBeGreaterThan(20)
    }
  })
})

test('the process is not watched for figures that nobody reads: a gateway at rest is woken by nothing', async () => {
  const watching = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  const metrics = createMetrics({ version: '1.2.3' })
  metrics.exchange(report())
  expect(watching).not.toHaveBeenCalled()
  for (let times = 0; times < 2; times++)
    expect(await lines(metrics, 'nodejs_eventloop_lag_p99_seconds')).toHaveLength(1)
  expect(watching).toHaveBeenCalledTimes(1)
  watching.mockRestore()
})

test('the page about it names every metric with its labels', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/telemetry.md'), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `sluice_'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name, labels]) => `${name} ${labels}`.trim())
  const figures = Object.values(createFigures(new Registry()))
  const expected = figures.map((figure) => {
    const { name, labelNames } = figure as unknown as { name: string; labelNames: string[] }
    return [`\`${name}\``, labelNames.map((label) => `\`${label}\``).join(', ')].join(' ').trim()
  })
  expect(rows.toSorted()).toEqual(expected.toSorted())
})
