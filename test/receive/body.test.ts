import { describeReadBody } from './body.cases.ts'

describeReadBody()
