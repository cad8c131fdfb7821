// What Elasticsearch 7.10.2 answered: how queries print in `_validate/query?explain=true`, and how they explain a document. Java's addresses of
// objects are left out.

/** Query → text. */
export const PRINTED: readonly (readonly [query: string, text: string])[] = [
  ['{"match_all":{}}', '+*:* #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match_all":{"boost":2}}', '+(*:*)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match_none":{}}', 'MatchNoDocsQuery("User requested "match_none" query.")'],
  ['{"term":{"text":"red"}}', 'text:red'],
  ['{"term":{"text":{"value":"red","boost":2}}}', '(text:red)^2.0'],
  ['{"term":{"nn":"red"}}', 'nn:red'],
  ['{"term":{"dl":"red"}}', 'dl:red'],
  ['{"term":{"tag":"x"}}', 'tag:x'],
  ['{"term":{"label":"x"}}', 'tag:x'],
  ['{"term":{"n":3}}', 'n:[3 TO 3]'],
  ['{"term":{"i":3}}', 'i:[3 TO 3]'],
  ['{"term":{"sh":3}}', 'sh:[3 TO 3]'],
  ['{"term":{"d":3.5}}', 'd:[3.5 TO 3.5]'],
  ['{"term":{"f":3.5}}', 'f:[3.5 TO 3.5]'],
  ['{"term":{"h":3.5}}', 'h:[3.5 TO 3.5]'],
  ['{"term":{"sc":3.5}}', 'sc:[35 TO 35]'],
  ['{"term":{"when":"2026-01-01"}}', 'when:[1767225600000 TO 1767311999999]'],
  ['{"term":{"fine":"2026-01-01"}}', 'fine:[1767225600000000000 TO 1767311999999999999]'],
  ['{"term":{"ip":"10.0.0.1"}}', 'ip:[10.0.0.1 TO 10.0.0.1]'],
  ['{"term":{"ip":"10.0.0.0/24"}}', 'ip:[10.0.0.0 TO 10.0.0.255]'],
  ['{"term":{"span":3}}', '+span:<ranges:[3 : 3]> #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"term":{"dspan":3}}', '+dspan:<ranges:[3.0 : 3.0]> #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"term":{"ipr":"10.0.0.1"}}',
    '+ipr:<ranges:[/10.0.0.1 : /10.0.0.1]> #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"term":{"dr":"2026-02-01"}}',
    '+dr:<ranges:[1769904000000 : 1769990399999]> #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"term":{"n":{"value":3,"boost":2}}}', '(n:[3 TO 3])^2.0'],
  ['{"term":{"nodv":4}}', 'nodv:[4 TO 4]'],
  ['{"term":{"nofield":4}}', 'MatchNoDocsQuery("User requested "match_none" query.")'],
  ['{"term":{"_id":"1"}}', '+_id:([fe 1f]) #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"term":{"_index":"p1"}}', '+*:* #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"term":{"typed":"red"}}', 'typed:red'],
  ['{"terms":{"tag":["x","z"]}}', 'tag:(x z)'],
  ['{"terms":{"text":["red","blue"],"boost":2}}', '(text:(blue red))^2.0'],
  ['{"terms":{"n":[3,1]}}', '+n:{1 3} #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"terms":{"d":[3.5,1]}}', '+d:{1.0 3.5} #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"terms":{"when":["2026-01-01","2026-01-02"]}}',
    'ConstantScore(when:[1767225600000 TO 1767311999999] when:[1767312000000 TO 1767398399999])',
  ],
  [
    '{"terms":{"ip":["10.0.0.1","10.0.0.0/8"]}}',
    'ConstantScore(ip:[10.0.0.1 TO 10.0.0.1] ip:[10.0.0.0 TO 10.255.255.255])',
  ],
  ['{"terms":{"flag":[true,false]}}', 'flag:(F T)'],
  ['{"terms":{"sc":[3.5]}}', '+sc:{35} #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"terms":{"tag":["x"]}}', 'tag:(x)'],
  ['{"terms":{"tag":[]}}', 'MatchNoDocsQuery("User requested "match_none" query.")'],
  ['{"range":{"n":{"gte":1,"lt":5}}}', 'n:[1 TO 4]'],
  ['{"range":{"n":{"gte":1}}}', 'n:[1 TO 9223372036854775807]'],
  ['{"range":{"i":{"gt":1,"boost":3}}}', '(i:[2 TO 2147483647])^3.0'],
  ['{"range":{"d":{"gt":1,"lte":5}}}', 'd:[1.0000000000000002 TO 5.0]'],
  ['{"range":{"f":{"gt":1}}}', 'f:[1.0000001 TO Infinity]'],
  ['{"range":{"h":{"gt":1}}}', 'h:[1.0009766 TO Infinity]'],
  ['{"range":{"sc":{"gt":1}}}', 'sc:[11 TO 9223372036854775807]'],
  ['{"range":{"nodv":{"gte":1,"lt":5}}}', 'nodv:[1 TO 4]'],
  ['{"range":{"tag":{"gte":"a"}}}', '+tag:[a TO *] #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"range":{"text":{"gte":"a","lt":"z"}}}', '+text:[a TO z} #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"range":{"ip":{"gte":"10.0.0.0"}}}', 'ip:[10.0.0.0 TO ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'],
  ['{"range":{"span":{"gte":1,"lt":3}}}', '+span:<ranges:[1 : 2]> #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"range":{"span":{"gte":1,"lt":3,"relation":"within"}}}',
    '+span:<ranges:[1 : 2]> #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"range":{"dspan":{"gte":1,"lt":8,"relation":"within"}}}',
    '+dspan:<ranges:[1.0 : 7.999999999999999]> #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"range":{"dr":{"gte":"2026-01-01","relation":"contains"}}}',
    '+dr:<ranges:[1767225600000 : 9223372036854775807]> #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"range":{"n":{"gte":7,"lt":5}}}', 'n:[7 TO 4]'],
  ['{"range":{"nofield":{"gte":7,"lt":5}}}', 'MatchNoDocsQuery("User requested "match_none" query.")'],
  [
    '{"exists":{"field":"text"}}',
    '+ConstantScore(NormsFieldExistsQuery [field=text]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"exists":{"field":"nn"}}', '+ConstantScore(_field_names:nn) #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"exists":{"field":"tag"}}',
    '+ConstantScore(DocValuesFieldExistsQuery [field=tag]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"exists":{"field":"n"}}',
    '+ConstantScore(DocValuesFieldExistsQuery [field=n]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"exists":{"field":"nodv"}}', '+ConstantScore(_field_names:nodv) #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"exists":{"field":"poster"}}',
    '+ConstantScore(DocValuesFieldExistsQuery [field=poster.login]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"exists":{"field":"start"}}',
    '+ConstantScore(_field_names:start) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"exists":{"field":"place"}}',
    '+ConstantScore(DocValuesFieldExistsQuery [field=place]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"exists":{"field":"rank"}}', '+ConstantScore(_feature:rank) #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"exists":{"field":"nofield"}}', 'MatchNoDocsQuery("User requested "match_none" query.")'],
  [
    '{"exists":{"field":"parts.v"}}',
    '+ConstantScore(DocValuesFieldExistsQuery [field=parts.v]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"prefix":{"text":"r"}}', '+text:r* #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"prefix":{"text":{"value":"r","rewrite":"top_terms_1"}}}',
    '+text:r* #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"prefix":{"text":{"value":"r","rewrite":"scoring_boolean","boost":3}}}',
    '+(text:r*)^3.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"prefix":{"text":{"value":"r","boost":2}}}', '+(text:r*)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"wildcard":{"text":"r*d"}}', '+text:r*d #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"wildcard":{"text":{"value":"r*d","rewrite":"scoring_boolean"}}}',
    '+text:r*d #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"wildcard":{"tag":{"value":"*","boost":2}}}', '+(tag:*)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"regexp":{"text":"r.d"}}', '+text:/r.d/ #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"fuzzy":{"text":"rec"}}', '+text:rec~1 #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"fuzzy":{"text":{"value":"rec","boost":2}}}',
    '+(text:rec~1)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"ids":{"values":["1","2"]}}', '+_id:([fe 1f] [fe 2f]) #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"ids":{"values":["1"]}}', '+_id:([fe 1f]) #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"ids":{"values":["abc-d"]}}', '+_id:([ff 61 62 63 2d 64]) #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"term":{"text":"nothere"}}', 'text:nothere'],
  ['{"term":{"n":99}}', 'n:[99 TO 99]'],
  [
    '{"bool":{"must":[{"term":{"text":"red"}}],"should":[{"term":{"tag":"x"}},{"term":{"tag":"nope"}}],"filter":[{"term":{"n":3}}],"must_not":[{"term":{"tag":"q"}}]}}',
    '+text:red -tag:q tag:x tag:nope #n:[3 TO 3]',
  ],
  [
    '{"bool":{"must_not":[{"term":{"text":"red"}}]}}',
    '+(-text:red #*:*) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"bool":{"must_not":[{"term":{"text":"blue"}}]}}',
    '+(-text:blue #*:*) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"bool":{"should":[{"term":{"tag":"x"}},{"term":{"tag":"y"}}],"minimum_should_match":2}}', '(tag:x tag:y)~2'],
  [
    '{"bool":{"should":[{"term":{"tag":"x"}},{"term":{"tag":"q"}},{"term":{"tag":"z"}}],"minimum_should_match":2}}',
    '(tag:x tag:q tag:z)~2',
  ],
  ['{"bool":{"should":[{"term":{"tag":"q"}}]}}', 'tag:q'],
  ['{"bool":{"filter":[{"term":{"text":"red"}}]}}', '#text:red'],
  ['{"bool":{"filter":[{"term":{"text":"red"}}],"boost":2}}', '(#text:red)^2.0'],
  ['{"bool":{"must":[{"term":{"text":"red"}}],"boost":3}}', '(+text:red)^3.0'],
  ['{"bool":{}}', '+*:* #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"bool":{"must":[{"match_all":{}}],"filter":[{"term":{"tag":"x"}}]}}', '+*:* #tag:x'],
  ['{"bool":{"must":[{"bool":{"should":[{"term":{"tag":"x"}},{"term":{"tag":"y"}}]}}]}}', '+(tag:x tag:y)'],
  [
    '{"bool":{"should":[{"term":{"tag":"x"}},{"bool":{"must":[{"term":{"n":3}},{"term":{"text":"red"}}]}}]}}',
    'tag:x (+n:[3 TO 3] +text:red)',
  ],
  ['{"constant_score":{"filter":{"term":{"text":"red"}}}}', 'ConstantScore(text:red)'],
  ['{"constant_score":{"filter":{"term":{"text":"red"}},"boost":2}}', '(ConstantScore(text:red))^2.0'],
  [
    '{"constant_score":{"filter":{"bool":{"must":[{"term":{"text":"red"}},{"term":{"n":3}}]}}}}',
    'ConstantScore(+text:red +n:[3 TO 3])',
  ],
  ['{"constant_score":{"filter":{"term":{"text":"nope"}}}}', 'ConstantScore(text:nope)'],
  [
    '{"dis_max":{"queries":[{"term":{"text":"red"}},{"term":{"tag":"x"}}]}}',
    '+(text:red | tag:x) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"dis_max":{"queries":[{"term":{"text":"red"}},{"term":{"tag":"x"}}],"tie_breaker":0.3,"boost":2}}',
    '+((text:red | tag:x)~0.3)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"dis_max":{"queries":[{"term":{"text":"nope"}},{"term":{"tag":"nope"}}]}}',
    '+(text:nope | tag:nope) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"dis_max":{"queries":[{"term":{"text":"red"}}]}}', '+(text:red) #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"boosting":{"positive":{"term":{"text":"red"}},"negative":{"term":{"tag":"x"}},"negative_boost":0.5}}',
    '+FunctionScoreQuery(text:red, scored by boost(queryboost(score(tag:x))^0.5)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"boosting":{"positive":{"term":{"text":"red"}},"negative":{"term":{"tag":"q"}},"negative_boost":0.5}}',
    '+FunctionScoreQuery(text:red, scored by boost(queryboost(score(tag:q))^0.5)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"boosting":{"positive":{"term":{"text":"nope"}},"negative":{"term":{"tag":"q"}},"negative_boost":0.5}}',
    '+FunctionScoreQuery(text:nope, scored by boost(queryboost(score(tag:q))^0.5)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_near":{"clauses":[{"span_term":{"text":"red"}},{"field_masking_span":{"query":{"span_or":{"clauses":[{"span_term":{"tag":"x"}},{"span_term":{"tag":"q"}}]}},"field":"text"}}],"slop":2}}',
    '+spanNear([text:red, mask(spanOr([tag:x, tag:q])) as text], 2, true) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_first":{"match":{"field_masking_span":{"query":{"span_term":{"tag":"x"}},"field":"text"}},"end":2}}',
    '+spanFirst(mask(tag:x) as text, 2) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"query_string":{"query":"\\"red the fox\\"","fields":["text"],"analyzer":"stop"}}',
    '+text:"red ? fox" #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"query_string":{"query":"\\"red the fox\\"","fields":["text"],"analyzer":"stop","enable_position_increments":false}}',
    '+text:"red fox" #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"query_string":{"query":"red\\\\ the\\\\ fox","fields":["text"],"analyzer":"stop","enable_position_increments":false,"type":"phrase_prefix"}}',
    '+text:"red fox*" #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"match":{"text":"red fox"}}', 'text:red text:fox'],
  ['{"match":{"text":{"query":"red fox","operator":"and"}}}', '+text:red +text:fox'],
  ['{"match":{"text":{"query":"red fox nope","minimum_should_match":2}}}', '(text:red text:fox text:nope)~2'],
  ['{"match":{"text":{"query":"red","fuzziness":1}}}', '+text:red~1 #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match":{"n":3}}', 'n:[3 TO 3]'],
  ['{"match_phrase":{"text":"red fox"}}', '+text:"red fox" #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"match_phrase":{"text":{"query":"red fox","slop":2,"boost":2}}}',
    '+(text:"red fox"~2)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"match_phrase":{"text":"fox blue"}}', '+text:"fox blue" #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match_phrase_prefix":{"text":"red fo"}}', '+text:"red fo*" #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match_phrase_prefix":{"text":"re"}}', '+text:"re*" #DocValuesFieldExistsQuery [field=_primary_term]'],
  ['{"match_bool_prefix":{"text":"fox re"}}', '+(text:fox text:re*) #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"multi_match":{"query":"red fox","fields":["text","nn^2"]}}',
    '+((nn:red nn:fox)^2.0 | (text:red text:fox)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"multi_match":{"query":"red fox","fields":["text","nn^2"],"type":"most_fields"}}',
    '+((nn:red nn:fox)^2.0 | (text:red text:fox))~1.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"multi_match":{"query":"red fox","fields":["text","nn"],"type":"phrase"}}',
    '+(nn:"red fox" | text:"red fox") #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"multi_match":{"query":"red fo","fields":["text","nn"],"type":"bool_prefix"}}',
    '+((nn:red nn:fo*) | (text:red text:fo*))~1.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"query_string":{"query":"text:re* OR n:[1 TO 3]"}}',
    '+(text:re* n:[1 TO 3]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"simple_query_string":{"query":"red +fox","fields":["text"]}}', '+text:red +text:fox'],
  ['{"nested":{"path":"parts","query":{"term":{"parts.kind":"x"}}}}', 'ToParentBlockJoinQuery (parts.kind:x)'],
  [
    '{"nested":{"path":"parts","query":{"match":{"parts.note":"red"}},"score_mode":"max","boost":2}}',
    '(ToParentBlockJoinQuery (parts.note:red))^2.0',
  ],
  ['{"nested":{"path":"parts","query":{"term":{"parts.kind":"q"}}}}', 'ToParentBlockJoinQuery (parts.kind:q)'],
  [
    '{"nested":{"path":"parts","query":{"match_all":{}},"score_mode":"none"}}',
    'ToParentBlockJoinQuery (+*:* #_type:__parts)',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"functions":[{"weight":2},{"field_value_factor":{"field":"n","factor":2,"modifier":"log1p"}}]}}',
    '+function score (text:red, functions: [{org.elasticsearch.common.lucene.search.function.WeightFactorFunction}{org.elasticsearch.common.lucene.search.function.FieldValueFactorFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"match_all":{}},"functions":[{"filter":{"term":{"tag":"x"}},"weight":2},{"filter":{"term":{"tag":"q"}},"weight":3}],"score_mode":"sum","boost_mode":"replace"}}',
    '+function score (*:*, functions: [{org.elasticsearch.common.lucene.search.function.FunctionScoreQuery$FilterScoreFunction}{org.elasticsearch.common.lucene.search.function.FunctionScoreQuery$FilterScoreFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"field_value_factor":{"field":"n","missing":1},"max_boost":2,"min_score":1}}',
    '+function score (text:red, functions: [{org.elasticsearch.common.lucene.search.function.FieldValueFactorFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"gauss":{"n":{"origin":1,"scale":2}}}}',
    '+function score (text:red, functions: [{org.elasticsearch.index.query.functionscore.DecayFunctionBuilder$NumericFieldDataScoreFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"linear":{"when":{"origin":"2026-01-02","scale":"2d","offset":"1h","decay":0.3}},"boost_mode":"sum"}}',
    '+function score (text:red, functions: [{org.elasticsearch.index.query.functionscore.DecayFunctionBuilder$NumericFieldDataScoreFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"weight":2}}',
    '+function score (text:red, functions: [{org.elasticsearch.common.lucene.search.function.WeightFactorFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"functions":[{"filter":{"term":{"tag":"q"}},"weight":3}]}}',
    '+function score (text:red, functions: [{org.elasticsearch.common.lucene.search.function.FunctionScoreQuery$FilterScoreFunction}]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"geo_distance":{"distance":"150km","place":"1,1"}}',
    '+place:1.0,1.0 +/- 150000.0 meters #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"geo_distance":{"distance":"1km","place":"7,1","boost":2}}',
    '+(place:7.0,1.0 +/- 1000.0 meters)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"geo_bounding_box":{"place":{"top_left":{"lat":2,"lon":0},"bottom_right":"0,2"}}}',
    'place:[0.0 TO 1.9999999646097422],[0.0 TO 1.9999999646097422]',
  ],
  [
    '{"geo_polygon":{"place":{"points":["0,0","2,0","2,2","0,2"]}}}',
    '+LatLonPointInPolygonQuery: field=place:[[0.0, 0.0] [2.0, 0.0] [2.0, 2.0] [0.0, 2.0] [0.0, 0.0] ] #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"distance_feature":{"field":"when","origin":"2026-01-02","pivot":"30d"}}',
    '+LongDistanceFeatureQuery(field=,origin=1767398399999,pivotDistance=2592000000) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"rank_feature":{"field":"rank","boost":2}}',
    '+(FeatureQuery(field=_feature, feature=rank, function=SaturationFunction(pivot=null)))^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"rank_feature":{"field":"rank","saturation":{"pivot":8}}}',
    '+FeatureQuery(field=_feature, feature=rank, function=SaturationFunction(pivot=8.0)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"rank_feature":{"field":"rank","log":{"scaling_factor":4}}}',
    '+FeatureQuery(field=_feature, feature=rank, function=LogFunction(scalingFactor=4.0)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"rank_feature":{"field":"rank","sigmoid":{"pivot":7,"exponent":0.6}}}',
    '+FeatureQuery(field=_feature, feature=rank, function=SigmoidFunction(pivot=7.0, a=0.6)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"span_term":{"text":"red"}}', '+text:red #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"span_near":{"clauses":[{"span_term":{"text":"red"}},{"span_term":{"text":"fox"}}],"slop":2,"in_order":true}}',
    '+spanNear([text:red, text:fox], 2, true) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_or":{"clauses":[{"span_term":{"text":"red"}},{"span_term":{"text":"fox"}}]}}',
    '+spanOr([text:red, text:fox]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_not":{"include":{"span_term":{"text":"red"}},"exclude":{"span_term":{"text":"fox"}},"dist":0}}',
    '+spanNot(text:red, text:fox, 0, 0) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_not":{"include":{"span_term":{"text":"red"}},"exclude":{"span_term":{"text":"blue"}},"pre":1,"post":2}}',
    '+spanNot(text:red, text:blue, 1, 2) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_first":{"match":{"span_term":{"text":"red"}},"end":2}}',
    '+spanFirst(text:red, 2) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_containing":{"big":{"span_near":{"clauses":[{"span_term":{"text":"red"}},{"span_term":{"text":"fox"}}],"slop":2,"in_order":true}},"little":{"span_term":{"text":"red"}}}}',
    '+SpanContaining(spanNear([text:red, text:fox], 2, true), text:red) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_within":{"big":{"span_near":{"clauses":[{"span_term":{"text":"red"}},{"span_term":{"text":"fox"}}],"slop":2,"in_order":true}},"little":{"span_term":{"text":"red"}}}}',
    '+SpanWithin(spanNear([text:red, text:fox], 2, true), text:red) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_multi":{"match":{"prefix":{"text":"r"}}}}',
    '+SpanMultiTermQueryWrapper(text:r*) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_multi":{"match":{"fuzzy":{"text":{"value":"rec","max_expansions":1}}}}}',
    '+SpanMultiTermQueryWrapper(text:rec~1) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_multi":{"match":{"wildcard":{"text":"r*"}}}}',
    '+SpanMultiTermQueryWrapper(text:r*) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"field_masking_span":{"query":{"span_term":{"text":"red"}},"field":"nn"}}',
    '+mask(text:red) as nn #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_term":{"text":{"value":"red","boost":2}}}',
    '+(text:red)^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"span_term":{"text":"nope"}}', '+text:nope #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"span_or":{"clauses":[{"span_term":{"text":"red"}}],"boost":2}}',
    '+(spanOr([text:red]))^2.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"intervals":{"text":{"match":{"query":"red fox"}}}}',
    '+text:UNORDERED(red,fox) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"intervals":{"text":{"all_of":{"ordered":true,"max_gaps":1,"intervals":[{"wildcard":{"pattern":"r*"}},{"fuzzy":{"term":"fux"}}],"filter":{"not_containing":{"match":{"query":"blue"}}}}}}}',
    '+text:NOT_CONTAINING(MAXGAPS/1(ORDERED(MultiTerm(r*),MultiTerm(fux))),blue) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"terms_set":{"tag":{"terms":["x","y"],"minimum_should_match_field":"i"}}}',
    '+CoveringQuery(queries=[tag:x, tag:y], minimumNumberMatch=long(i)) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"wrapper":{"query":"eyJ0ZXJtIjp7InRhZyI6IngifX0="}}', 'tag:x'],
  ['{"term":{"text":{"value":"red","_name":"q"}}}', 'text:red'],
  ['{"match":{"typed._2gram":"red fox"}}', 'typed._2gram:red fox'],
  [
    '{"distance_feature":{"field":"fine","origin":"2026-01-01","pivot":"30d"}}',
    '+LongDistanceFeatureQuery(field=,origin=1767311999999999999,pivotDistance=2592000000000000) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"exists":{"field":"parts"}}',
    '+ConstantScore(NormsFieldExistsQuery [field=parts.note] DocValuesFieldExistsQuery [field=parts.kind] DocValuesFieldExistsQuery [field=parts.v]) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"multi_match":{"query":"red","fields":["p*","ta*","f*"],"lenient":true,"type":"most_fields"}}',
    '+(parts.note:red | parts.kind:red | MatchNoDocsQuery("failed [flag] query, caused by illegal_argument_exception:[Can\'t parse boolean value [red], expected [true] or [false]]") | MatchNoDocsQuery("failed [parts.v] query, caused by number_format_exception:[For input string: "red"]") | MatchNoDocsQuery("failed [fine] query, caused by parse_exception:[failed to parse date field [red] with format [strict_date_optional_time||epoch_millis]: [failed to parse date field [red] with format [strict_date_optional_time||epoch_millis]]]") | MatchNoDocsQuery("failed [f] query, caused by number_format_exception:[For input string: "red"]") | poster.login:red | tag:red)~1.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"match":{"start":"Red fox"}}', 'start:red\u001ffox'],
  ['{"query_string":{"query":"start:red"}}', 'start:red'],
  ['{"term":{"start":"red fox"}}', 'start:red fox'],
  [
    '{"multi_match":{"query":"red fox","fields":["start","tag"]}}',
    '+(start:red\u001ffox | tag:red fox) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"fuzzy":{"text":{"value":"x","fuzziness":0}}}', '+text:x~0 #DocValuesFieldExistsQuery [field=_primary_term]'],
  [
    '{"match":{"text":{"query":"xa bbbb","fuzziness":"AUTO"}}}',
    '+(text:xa~0 text:bbbb~1) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"field_masking_span":{"query":{"span_term":{"text":"red"}},"field":"text"}}',
    '+mask(text:red) as text #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"field_masking_span":{"query":{"span_multi":{"match":{"prefix":{"text":"r"}}}},"field":"dl"}}',
    '+mask(SpanMultiTermQueryWrapper(text:r*)) as dl #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"multi_match":{"query":"red fox","fields":["rank","tag"],"type":"phrase","lenient":true}}',
    '+(MatchNoDocsQuery("failed [rank] query, caused by illegal_state_exception:[field:[rank] was indexed without position data; cannot run PhraseQuery]") | tag:red fox) #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"simple_query_string":{"query":"fo*","fields":["rank","text"],"lenient":true}}',
    '+(MatchNoDocsQuery("failed query, caused by Cannot invoke "org.apache.lucene.analysis.Analyzer.normalize(String, String)" because the return value of "org.elasticsearch.index.search.SimpleQueryStringQueryParser.getAnalyzer(org.elasticsearch.index.mapper.MappedFieldType)" is null") | text:fo*)~1.0 #DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  ['{"query_string":{"query":"nope\\\\*:x"}}', 'MatchNoDocsQuery("unmapped fields [nope*]")'],
];

/** Query → tree: a value and a description a line. */
export const EXPLAINED: readonly (readonly [query: string, tree: string])[] = [
  ['{"match_all":{"boost":2}}', `2.0  ConstantScore(DocValuesFieldExistsQuery [field=_primary_term])^2.0`],
  ['{"term":{"sh":3}}', `1.0  sh:[3 TO 3]`],
  ['{"terms":{"tag":["x","z"]}}', `1.0  ConstantScore(tag:x tag:z)`],
  ['{"range":{"d":{"gt":1,"lte":5}}}', `1.0  d:[4607182418800017409 TO 4617315517961601024]`],
  ['{"range":{"h":{"gt":1}}}', `1.0  h:[15361 TO 31744]`],
  [
    '{"ids":{"values":["abc-d"]}}',
    `0.0  Failure to meet condition(s) of required/prohibited clause(s)
  0.0  no match on required clause (ConstantScore(_id:[ff 61 62 63 2d 64]))
    0.0  ConstantScore(_id:[ff 61 62 63 2d 64]) doesn't match id 2
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  ['{"term":{"text":"nothere"}}', `0.0  no matching term`],
  [
    '{"bool":{"must":[{"term":{"text":"red"}}],"should":[{"term":{"tag":"x"}},{"term":{"tag":"nope"}}],"filter":[{"term":{"n":3}}],"must_not":[{"term":{"tag":"q"}}]}}',
    `1.7049134  sum of:
  0.9023218  weight(text:red in 2) [PerFieldSimilarity], result of:
    0.9023218  score(freq=2.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        2.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        3.0  dl, length of field
        2.5  avgdl, average length of field
  0.8025915  weight(tag:x in 2) [PerFieldSimilarity], result of:
    0.8025915  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        1.0  dl, length of field
        1.5  avgdl, average length of field
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  n:[3 TO 3]`,
  ],
  [
    '{"bool":{"must_not":[{"term":{"text":"red"}}]}}',
    `0.0  Failure to meet condition(s) of required/prohibited clause(s)
  0.0  no match on required clause (-text:red #*:*)
    0.0  Failure to meet condition(s) of required/prohibited clause(s)
      0.0  match on prohibited clause (text:red)
        1.0  text:red
      0.0  match on required clause, product of:
        0.0  # clause
        1.0  *:*
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"bool":{"should":[{"term":{"tag":"x"}},{"term":{"tag":"y"}}],"minimum_should_match":2}}',
    `1.605183  sum of:
  0.8025915  weight(tag:x in 2) [PerFieldSimilarity], result of:
    0.8025915  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        1.0  dl, length of field
        1.5  avgdl, average length of field
  0.8025915  weight(tag:y in 2) [PerFieldSimilarity], result of:
    0.8025915  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        1.0  dl, length of field
        1.5  avgdl, average length of field`,
  ],
  [
    '{"bool":{"should":[{"term":{"tag":"x"}},{"term":{"tag":"q"}},{"term":{"tag":"z"}}],"minimum_should_match":2}}',
    `0.0  Failure to match minimum number of optional clauses: 2
  0.8025915  weight(tag:x in 2) [PerFieldSimilarity], result of:
    0.8025915  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        1.0  dl, length of field
        1.5  avgdl, average length of field`,
  ],
  ['{"constant_score":{"filter":{"term":{"text":"red"}},"boost":2}}', `2.0  ConstantScore(text:red)^2.0`],
  ['{"constant_score":{"filter":{"term":{"text":"nope"}}}}', `0.0  ConstantScore(text:nope) doesn't match id 2`],
  [
    '{"dis_max":{"queries":[{"term":{"text":"red"}},{"term":{"tag":"x"}}],"tie_breaker":0.3,"boost":2}}',
    `2.2861986  sum of:
  2.2861986  max plus 0.3 times others of:
    1.8046436  weight(text:red in 2) [PerFieldSimilarity], result of:
      1.8046436  score(freq=2.0), computed as boost * idf * tf from:
        4.4  boost
        0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          1.0  n, number of documents containing term
          2.0  N, total number of documents with field
        0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
          2.0  freq, occurrences of term within document
          1.2  k1, term saturation parameter
          0.75  b, length normalization parameter
          3.0  dl, length of field
          2.5  avgdl, average length of field
    1.605183  weight(tag:x in 2) [PerFieldSimilarity], result of:
      1.605183  score(freq=1.0), computed as boost * idf * tf from:
        4.4  boost
        0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          1.0  n, number of documents containing term
          2.0  N, total number of documents with field
        0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
          1.0  freq, occurrences of term within document
          1.2  k1, term saturation parameter
          0.75  b, length normalization parameter
          1.0  dl, length of field
          1.5  avgdl, average length of field
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"boosting":{"positive":{"match_all":{}},"negative":{"term":{"tag":"x"}},"negative_boost":0.5,"boost":3}}',
    `1.5  sum of:
  1.5  weight(FunctionScoreQuery(*:*, scored by boost(queryboost(score(tag:x))^0.5))), product of:
    3.0  boost
    0.5  product of:
      1.0  *:*
      0.5  Matched boosting query score(tag:x)
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"boosting":{"positive":{"term":{"text":"red"}},"negative":{"term":{"tag":"x"}},"negative_boost":0.5}}',
    `0.4511609  sum of:
  0.45116090774536133  weight(FunctionScoreQuery(text:red, scored by boost(queryboost(score(tag:x))^0.5))), result of:
    0.45116090774536133  product of:
      0.9023218  weight(text:red in 2) [PerFieldSimilarity], result of:
        0.9023218  score(freq=2.0), computed as boost * idf * tf from:
          2.2  boost
          0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
            1.0  n, number of documents containing term
            2.0  N, total number of documents with field
          0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
            2.0  freq, occurrences of term within document
            1.2  k1, term saturation parameter
            0.75  b, length normalization parameter
            3.0  dl, length of field
            2.5  avgdl, average length of field
      0.5  Matched boosting query score(tag:x)
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"match":{"text":{"query":"red fox nope","minimum_should_match":2}}}',
    `1.0708544  sum of:
  0.9023218  weight(text:red in 2) [PerFieldSimilarity], result of:
    0.9023218  score(freq=2.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        2.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        3.0  dl, length of field
        2.5  avgdl, average length of field
  0.16853255  weight(text:fox in 2) [PerFieldSimilarity], result of:
    0.16853255  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        2.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.4201681  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        3.0  dl, length of field
        2.5  avgdl, average length of field`,
  ],
  [
    '{"match_phrase_prefix":{"text":"red fo"}}',
    `0.8092569  sum of:
  0.8092569  weight(text:"red fox" in 2) [PerFieldSimilarity], result of:
    0.8092569  score(freq=1.0), computed as boost * idf * tf from:
      2.2  boost
      0.87546873  idf, sum of:
        0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          1.0  n, number of documents containing term
          2.0  N, total number of documents with field
        0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          2.0  n, number of documents containing term
          2.0  N, total number of documents with field
      0.4201681  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  phraseFreq=1.0
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        3.0  dl, length of field
        2.5  avgdl, average length of field
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"nested":{"path":"parts","query":{"match":{"parts.note":"red"}},"score_mode":"max","boost":2}}',
    `0.42221838  Score based on 2 child docs in range from 0 to 1, best match:
  0.42221838  weight(parts.note:red in 1) [PerFieldSimilarity], result of:
    0.42221838  score(freq=1.0), computed as boost * idf * tf from:
      4.4  boost
      0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        2.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        1.0  freq, occurrences of term within document
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        1.0  dl, length of field
        1.5  avgdl, average length of field`,
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"functions":[{"weight":2},{"field_value_factor":{"field":"n","factor":2,"modifier":"log1p"}}]}}',
    `1.5251008  sum of:
  1.5251007  function score, product of:
    0.9023218  weight(text:red in 2) [PerFieldSimilarity], result of:
      0.9023218  score(freq=2.0), computed as boost * idf * tf from:
        2.2  boost
        0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          1.0  n, number of documents containing term
          2.0  N, total number of documents with field
        0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
          2.0  freq, occurrences of term within document
          1.2  k1, term saturation parameter
          0.75  b, length normalization parameter
          3.0  dl, length of field
          2.5  avgdl, average length of field
    1.690196  min of:
      1.690196  function score, score mode [multiply]
        2.0  product of:
          1.0  constant score 1.0 - no function provided
          2.0  weight
        0.845098  field value function: log1p(doc['n'].value * factor=2.0)
      3.4028235e+38  maxBoost
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"function_score":{"query":{"match_all":{}},"functions":[{"filter":{"term":{"tag":"x"}},"weight":2},{"filter":{"term":{"tag":"q"}},"weight":3}],"score_mode":"sum","boost_mode":"replace"}}',
    `2.0  sum of:
  2.0  min of:
    2.0  function score, score mode [sum]
      2.0  function score, product of:
        1.0  match filter: tag:x
        2.0  product of:
          1.0  constant score 1.0 - no function provided
          2.0  weight
    3.4028235e+38  maxBoost
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"function_score":{"query":{"term":{"text":"red"}},"gauss":{"n":{"origin":1,"scale":2}}}}',
    `0.4511609  sum of:
  0.4511609  function score, product of:
    0.9023218  weight(text:red in 2) [PerFieldSimilarity], result of:
      0.9023218  score(freq=2.0), computed as boost * idf * tf from:
        2.2  boost
        0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
          1.0  n, number of documents containing term
          2.0  N, total number of documents with field
        0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
          2.0  freq, occurrences of term within document
          1.2  k1, term saturation parameter
          0.75  b, length normalization parameter
          3.0  dl, length of field
          2.5  avgdl, average length of field
    0.5  min of:
      0.5  Function for field n:
        0.5  exp(-0.5*pow(MIN[Math.max(Math.abs(3.0(=doc value) - 1.0(=origin))) - 0.0(=offset), 0)],2.0)/2.8853900817779268)
      3.4028235e+38  maxBoost
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"geo_bounding_box":{"place":{"top_left":{"lat":2,"lon":0},"bottom_right":"0,2"}}}',
    `1.0  place:box(minLat=0.0, maxLat=1.9999999646097422, minLon=0.0, maxLon=1.9999999646097422)`,
  ],
  [
    '{"distance_feature":{"field":"when","origin":"2026-01-02","pivot":"30d"}}',
    `0.9375  sum of:
  0.9375  Distance score, computed as weight * pivotDistance / (pivotDistance + abs(value - origin)) from:
    1.0  weight
    2592000000.0  pivotDistance
    1767398399999.0  origin
    1767225600000.0  current value
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"rank_feature":{"field":"rank","sigmoid":{"pivot":7,"exponent":0.6}}}',
    `0.5  sum of:
  0.5  Sigmoid function on the _feature field for the rank feature, computed as w * S^a / (S^a + k^a) from:
    1.0  w, weight of this function
    7.0  k, pivot feature value that would give a score contribution equal to w/2
    7.0  a, exponent, higher values make the function grow slower before k and faster after k
    7.0  S, feature value
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"span_not":{"include":{"span_term":{"text":"red"}},"exclude":{"span_term":{"text":"blue"}},"pre":1,"post":2}}',
    `0.9023218  sum of:
  0.9023218  weight(spanNot(text:red, text:blue, 1, 2) in 2) [PerFieldSimilarity], result of:
    0.9023218  score(freq=2.0), computed as boost * idf * tf from:
      2.2  boost
      0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
        1.0  n, number of documents containing term
        2.0  N, total number of documents with field
      0.591716  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
        2.0  phraseFreq=2.0
        1.2  k1, term saturation parameter
        0.75  b, length normalization parameter
        3.0  dl, length of field
        2.5  avgdl, average length of field
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"intervals":{"text":{"match":{"query":"red fox"}}}}',
    `0.6666666  sum of:
  0.6666666  Saturation function on interval frequency, computed as w * S / (S + k) from:
    1.0  w, weight of this function
    1.0  k, pivot feature value that would give a score contribution equal to w/2
    2.0  S, the sloppy frequency of the interval query text:UNORDERED(red,fox)
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"terms_set":{"tag":{"terms":["x","y"],"minimum_should_match_field":"i"}}}',
    `0.0  Failure to meet condition(s) of required/prohibited clause(s)
  0.0  no match on required clause (CoveringQuery(queries=[tag:x, tag:y], minimumNumberMatch=long(i)))
    0.0  2 matches for 3 required matches
      0.8025915  weight(tag:x in 2) [PerFieldSimilarity], result of:
        0.8025915  score(freq=1.0), computed as boost * idf * tf from:
          2.2  boost
          0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
            1.0  n, number of documents containing term
            2.0  N, total number of documents with field
          0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
            1.0  freq, occurrences of term within document
            1.2  k1, term saturation parameter
            0.75  b, length normalization parameter
            1.0  dl, length of field
            1.5  avgdl, average length of field
      0.8025915  weight(tag:y in 2) [PerFieldSimilarity], result of:
        0.8025915  score(freq=1.0), computed as boost * idf * tf from:
          2.2  boost
          0.6931472  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:
            1.0  n, number of documents containing term
            2.0  N, total number of documents with field
          0.5263158  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:
            1.0  freq, occurrences of term within document
            1.2  k1, term saturation parameter
            0.75  b, length normalization parameter
            1.0  dl, length of field
            1.5  avgdl, average length of field
  0.0  match on required clause, product of:
    0.0  # clause
    1.0  DocValuesFieldExistsQuery [field=_primary_term]`,
  ],
  [
    '{"distance_feature":{"field":"fine","origin":"2026-01-01T00:00:00.000000009Z","pivot":"1micros"}}',
    '0.99206346  sum of:\n  0.99206346  Distance score, computed as weight * pivotDistance / (pivotDistance + abs(value - origin)) from:\n    1.0  weight\n    1000.0  pivotDistance\n    1767225600000000000.0  origin\n    1767225600000000000.0  current value\n  0.0  match on required clause, product of:\n    0.0  # clause\n    1.0  DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"match":{"start":"red"}}',
    '0.2876821  weight(start:red in 2) [PerFieldSimilarity], result of:\n  0.2876821  score(freq=1.0), computed as boost * idf * tf from:\n    2.2  boost\n    0.2876821  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:\n      1.0  n, number of documents containing term\n      1.0  N, total number of documents with field\n    0.45454544  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:\n      1.0  freq, occurrences of term within document\n      1.2  k1, term saturation parameter\n      0.75  b, length normalization parameter\n      1.0  dl, length of field\n      1.0  avgdl, average length of field',
  ],
  [
    '{"span_or":{"clauses":[{"span_multi":{"match":{"prefix":{"text":"zz"}}}},{"span_term":{"text":"fox"}}]}}',
    '0.16853255  sum of:\n  0.16853255  weight(spanOr([SpanMatchNoDocsQuery("no expansion found for text:zz*"), text:fox]) in 2) [PerFieldSimilarity], result of:\n    0.16853255  score(freq=1.0), computed as boost * idf * tf from:\n      2.2  boost\n      0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:\n        2.0  n, number of documents containing term\n        2.0  N, total number of documents with field\n      0.4201681  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:\n        1.0  phraseFreq=1.0\n        1.2  k1, term saturation parameter\n        0.75  b, length normalization parameter\n        3.0  dl, length of field\n        2.5  avgdl, average length of field\n  0.0  match on required clause, product of:\n    0.0  # clause\n    1.0  DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"span_multi":{"match":{"fuzzy":{"text":{"value":"fxo","max_expansions":1}}}}}',
    '0.16853255  sum of:\n  0.16853255  weight(spanOr([text:fox]) in 2) [PerFieldSimilarity], result of:\n    0.16853255  score(freq=1.0), computed as boost * idf * tf from:\n      2.2  boost\n      0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:\n        2.0  n, number of documents containing term\n        2.0  N, total number of documents with field\n      0.4201681  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:\n        1.0  phraseFreq=1.0\n        1.2  k1, term saturation parameter\n        0.75  b, length normalization parameter\n        3.0  dl, length of field\n        2.5  avgdl, average length of field\n  0.0  match on required clause, product of:\n    0.0  # clause\n    1.0  DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"match_phrase_prefix":{"text":{"query":"fo"}}}',
    '0.16853255  sum of:\n  0.16853255  weight(text:fox in 2) [PerFieldSimilarity], result of:\n    0.16853255  score(freq=1.0), computed as boost * idf * tf from:\n      2.2  boost\n      0.18232156  idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:\n        2.0  n, number of documents containing term\n        2.0  N, total number of documents with field\n      0.4201681  tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:\n        1.0  freq, occurrences of term within document\n        1.2  k1, term saturation parameter\n        0.75  b, length normalization parameter\n        3.0  dl, length of field\n        2.5  avgdl, average length of field\n  0.0  match on required clause, product of:\n    0.0  # clause\n    1.0  DocValuesFieldExistsQuery [field=_primary_term]',
  ],
  [
    '{"fuzzy":{"text":{"value":"ff","fuzziness":0}}}',
    '0.0  Failure to meet condition(s) of required/prohibited clause(s)\n  0.0  no match on required clause (MatchNoDocsQuery("empty BooleanQuery"))\n    0.0  empty BooleanQuery\n  0.0  match on required clause, product of:\n    0.0  # clause\n    1.0  DocValuesFieldExistsQuery [field=_primary_term]',
  ],
];
