import { createMetrics } from './src/telemetry/metrics.ts'
import { report, attempt } from './src/telemetry/sample-report.ts'
import { createLog } from './src/telemetry/log.ts'
import { toSpans } from './src/telemetry/spans.ts'
import { createClean } from './src/telemetry/clean.ts'
import { redact } from './src/telemetry/redact.ts'
function min(name:string, f:(i:number)=>void, n=2000, runs=40){ let best=Infinity; for(let k=0;k<runs;k++){const s=performance.now(); for(let i=0;i<n;i++) f(i); best=Math.min(best,(performance.now()-s)/n*1000)} console.log(name,best.toFixed(2),'us')}
const done=Array.from({length:1000},(_,i)=>report({id:'req_'+i.toString(16).padStart(24,'0'), answerId:'msg_01XFDUDYJgAACzvnptv'+i}))
const failed=Array.from({length:1000},(_,i)=>report({id:'req_'+i, outcome:'upstream-error', status:429, fault:{kind:'rate-limit',message:'Rate limit reached for gpt-5.5 in organization org-abc on tokens per min (TPM): Limit 30000, Used 29950, Requested 1200. Please try again in 6.5s. Visit https://platform.openai.com/account/rate-limits to learn more.'}, attempts:[attempt({status:429,fault:{kind:'rate-limit',message:'x'}})]}))
let n=0
for (const redact of [true,false]) for (const format of ['json','text'] as const) for (const [k,rs] of Object.entries({done,failed})) {
  const log = createLog({level:'info',format,redact},{write:(l)=>{n+=l.length}})
  min(`log ${format} ${k} redact=${redact}`,(i)=>log.exchange(rs[i%1000]!))
}
const m=createMetrics({version:'1'}); min('metrics',(i)=>m.exchange(done[i%1000]!))
const maker={clean:createClean(true),resource:{} as any,scope:{name:'s'},readState:(()=>0) as any}
min('spans',(i)=>{n+=toSpans(done[i%1000]!,maker).length})
const c=createClean(true), c2=createClean(false)
min('clean model',()=>{n+=c('claude-sonnet-4-5-20250929',128).length}); min('clean noredact',()=>{n+=c2('claude-sonnet-4-5-20250929',128).length}); min('redact',()=>{n+=redact('claude-sonnet-4-5-20250929').length})
min('clean id',(i)=>{n+=c(done[i%1000]!.id,128).length}); 
