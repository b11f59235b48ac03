import { describeCompressZstd } from './compress-zstd.cases.ts'

describeCompressZstd()
