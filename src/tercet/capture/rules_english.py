"""What is worth keeping of English sentences."""

from __future__ import annotations

import re
from typing import Final

from tercet.capture.rules import LanguageRules, rule

_ADVERB: Final = (
    r"(?:(?:really|also|still|just|actually|absolutely|truly|particularly|especially|usually|generally|mostly|often"
    r"|sometimes|always|never|currently|now|recently|finally|officially|only|both|all|do|do not|don't|didn't|did"
    r"|no longer|not|quite|much|much more|strongly|personally|kind of|have always|'ve always|have|'ve|used to"
    r"|just) ){0,3}"
)
_I: Final = r"\b(?:I|we|(?:my|our) [\w' -]{1,40}|(?:he|she|they)) "
_SELF: Final = r"\b(?:I am|I'm|Im|we are|we're|I was|we were|he is|he's|she is|she's|they are|they're) "
_ARTICLE: Final = r"(?:a|an|the|one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_WORK_NOUN: Final = (
    r"(?:code|tests?|build|script|errors?|bug|issue|questions?|point|screen|terminal|branch|pr|commit|output|files?"
    r"|function|query|message|prompt|request|bad|mistake|apologies|goodness|god|guess|understanding|last"
    r"|previous|first"
    r"|next|current|only concern|concern|problem|idea|suggestion|answer|thought)\b"
)
_LEAD: Final = (
    r"(?:(?:and|but|so|also|oh|well|actually|hi|hey|yes|yeah|no|ok|okay|thanks|because|then|plus|wow"
    r"|since)[, !.]+){0,4}"
    r"(?:(?:yesterday|today|tonight|recently|lately|(?:last|this|next|every) \w+|(?:\w+ ){1,2}(?:days|weeks"
    r"|months|years) ago"
    r"|(?:on|in|since|at|during) (?:\w+ ){1,3})[, ]*)?"
)
_BREAK: Final = r"(?:^|[,;:!–-] |\b(?:and|but|so|because) )"
_RELATIVE: Final = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|mother|mum|mom|father|dad|parents?"
    r"|sisters?|brothers?"
    r"|daughters?|sons?|kids?|child(?:ren)?|bab(?:y|ies)|twins?|aunt|uncle|cousins?|nieces?|nephews?"
    r"|grand\w{3,8}|friends?"
    r"|boss|manager|colleagues?|neighbou?rs?|teacher|doctor|dentist|therapist|landlord|flatmates?|room-?mates?"
    r"|dogs?|cats?|pets?|pupp(?:y|ies)|kittens?|parrots?|horses?|rabbits?|hamsters?)"
)
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"

_AUXILIARY: Final = (
    r"(?:(?:do|does|did|is|are|was|were|could|would|should|has|have|had)(?:n't)?|am|can(?:'t)?|will|won't|shall|must)"
)
_PRONOUN: Final = r"(?:you|I|we|they|he|she)"
_OWNER: Final = r"(?:my|your|our|his|her|their|the|it|that|this)"

_NOT_TOLD: Final = (
    r"(?:thinks?|thought|guess|see|saw|mean|meant|suppose|wonder(?:ed|ing)?|knew|know|understand|understood"
    r"|believe|feel|felt"
    r"|hope|hoping|tried|try|trying|get|getting|need(?:ed)?|want(?:ed)?|would|could|can|can't|cannot|couldn't"
    r"|will|won't|should"
    r"|may|might|must|noticed|found|looked|look|looking|check(?:ed|ing)?|fixed|fixing|updated|added|changed"
    r"|have to|had to"
    r"|asked|asking|said|say|saying|told|tell|agree|meant|appreciate|apologi[sz]e|expect(?:ed)?|bet|wish|sure"
    r"|sorry|not sure"
    r"|seeing|confused|ready|done|glad|happy|curious|stuck|here|back|fine|good|ok|okay|great|well|excited"
    r"|swamped|busy|so glad"
    r"|mind|care|remember|recall|totally|completely|love it|like (?:it|how|that|this)|have an? (?:quick "
    r"|small )?(?:question|idea|problem|request)|run (?:the|it|this)|ran (?:the|it|this"
    r"|into)|to|just|be|an?|the)\b"
)
"""After "I": what is thought, sought or done in the moment, rather than told about oneself."""
_WORK: Final = (
    r"(?:code|codebase|tests?|build|script|errors?|bugs?|lines?|functions?|methods?|class|variables?|modules?"
    r"|files?|folder"
    r"|branch|commits?|pull requests?|repo(?:sitory)?|terminal|output|logs?|stack ?trace|exceptions?|api"
    r"|endpoint|query|queries"
    r"|prompt|answer|reply|response|example|snippet|suggestion|explanation|refactor\w*|compil\w+|deploy\w*"
    r"|lint\w*|types?|args?"
    r"|json|yaml|html|css|regex|button|component|css|component)\b"
)
_PASSING: Final = (
    r"(?:lovely|nice|great|good|bad|wrong|right|correct|incorrect|fine|ok|okay|broken|failing|empty|slow|fast"
    r"|done|ready"
    r"|perfect|amazing|awesome|beautiful|terrible|awful|cool|interesting|funny|true|false|clear|unclear|enough"
    r"|here|there"
    r"|over|gone|back|up|down|hot|cold|rainy|sunny)"
)
_DETAIL: Final = (
    rf"(?:\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b{_MONTH} \d|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}"
    r"|https?://|\b\d+(?:[.,:]\d+)? ?(?:%|am\b|pm\b|o'clock|mg|ml|kg|g\b|km|miles?|kilomet|met(?:re|er)s"
    r"|minutes|hours|days|weeks"
    r"|months|years|times a|euros?|dollars|pounds|eur\b|usd\b|people|guests)|[€$£]\d|\b\d{1,2}:\d\d\b|\b(?:19"
    r"|20)\d\d\b)"
)
_RULES: Final = (
    rule(
        "fact",
        0.85,
        (
            r"\ballergic to\b|\ballerg(?:y|ies)\b|\bintoleran(?:t|ce)\b|\bdiabet(?:es|ic)\b|\bblood (?:pressure"
            r"|type|group)\b"
        ),
        (
            r"\basthma(?:tic)?\b|\bdiagnosed with\b|\bpregnan(?:t|cy)\b|\bcoeliac\b|\bceliac\b|\bmigraines?\b"
            r"|\bvegetarian\b"
        ),
        r"\bvegan\b|\bpescatarian\b|\bkosher\b|\bhalal\b|\bgluten[- ]free\b",
    ),
    rule(
        "entity",
        0.85,
        r"\bmy (?:full |first |last |real |middle )?(?:sur)?name(?:'s| is| was)\b",
        r"\b(?:people )?call me [A-Z]?\w",
    ),
    rule(
        "decision",
        0.8,
        (
            r"\b(?:I|we)(?:'ve| have|'d| had)? (?:finally |all |both |just |now )?(?:decided|agreed|chose"
            r"|chosen|settled on|opted for|picked)\b"
        ),
        (
            r"\b(?:we're|we are|I'm|I am|we'll|we will|let's|let us) (?:going|go|switching|sticking|moving"
            r"|stick|switch) (?:with|to|over to|ahead with)\b(?! (?:the )?next)"
        ),
        r"\bwe(?:'ll| will| shall) (?:use|keep|adopt|ship|call it|meet|migrate|drop|stay)\b",
        (
            r"\bthe (?:plan|decision|agreement|deadline|rule|policy|convention) (?:is|was|has been|moved)\b"
            r"|\bit was decided\b"
        ),
        r"\bour (?:new )?(?:policy|rule|convention|standard|agreement) (?:is|says)\b",
    ),
    rule(
        "preference",
        0.75,
        r"\bfavou?rites?\b|\bpet peeve\b|\bpreferably\b|\bpreference\b",
        (
            rf"{_I}(?:'d |would )?{_ADVERB}(?:prefers?|preferred|hates?|dislikes?|detests?|loathes?"
            rf"|adores?)\b(?! (?:it|this|that)\W*$)"
        ),
        (
            rf"{_I}{_ADVERB}(?:likes?|loves?|enjoys?|liked|loved|enjoyed)\b(?! (?:it|this|that|them|your|how"
            rf"|what you|the (?:idea|look|sound|way))\b)"
        ),
        rf"{_I}(?:can't|cannot|can not|couldn't) (?:stand|bear|live without|eat|drink|tolerate)\b",
        (
            rf"{_SELF}(?:not )?(?:really |very |so |too |also |quite )?(?:into|fond of|keen on|crazy about"
            rf"|a (?:big |huge )?fan of|scared of|afraid of|sick of|tired of)\b"
        ),
        (
            r"\bI(?:'d| would) rather\b|\b(?:no|not too much) [\w ]{1,30} for me\b|\bI (?:always|never|usually"
            r"|rarely|mostly) (?!mind|said|meant|thought|know)\w+"
        ),
    ),
    rule(
        "entity",
        0.75,
        (
            rf"\b(?:my|our|his|her|their) (?:[\w-]+ ){{0,3}}{_RELATIVE}(?:'s? name)? ?(?:is|was|are) (?:called "
            rf"|named )?[A-Z]"
        ),
        (
            rf"\bis (?:my|our) (?:[\w-]+ ){{0,2}}{_RELATIVE}\b|\b(?:is|was|are) (?:called|named) [A-Z]\w|\b(?:I"
            rf"|we) named\b"
        ),
        (
            r"\b(?:phone|mobile|cell|telephone|passport|account|membership|licen[cs]e|booking|order|policy"
            r"|flight|room|customer|badge) (?:number|no\.?|code|id|plate) (?:is|was|:)"
        ),
        (
            r"\b(?:e-?mail|home|work|postal|delivery|shipping) ?(?:address)? (?:is|was|:)|\b(?:my"
            r"|our) (?:e-?mail|address|postcode|zip code)\b"
        ),
        r"[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,60}",
    ),
    rule(
        "fact",
        0.75,
        (
            r"\b(?:birthday|anniversary|wedding|appointment|rent|visa|passport|contract|lease|surgery"
            r"|graduation|exam)\b[^.!?]{0,60}\b(?:is|was|on|due|expires?|ends?|starts?|moved|by)\b"
        ),
        (
            r"\bI(?:'m| am) [1-9][0-9]?(?: years old| now)?(?:\W|$)|\b(?:was|were|am) born\b|\b(?:turns?|turned"
            r"|turning) [1-9][0-9]\b"
        ),
        (
            r"\b(?:I|we)(?:'ve| have)? (?:just |finally |recently |already )?(?:moved|relocated|emigrated"
            r"|got (?:married|divorced|engaged|promoted|fired|hired)|quit|resigned|retired|graduated|adopted"
            r"|gave birth|broke up|split up)\b"
        ),
        (
            r"\bno longer\b|\b(?:don't|doesn't|do not|does not|am not|isn't|aren't"
            r"|not) [^.!?]{1,60} any ?more\b|\b(?:I|we) (?:stopped|gave up|used to|switched to|switched from)\b"
        ),
        r"\b(?:due|expires?|scheduled|postponed|rescheduled|moved|takes place|starts?) (?:[\w-]+ ){0,4}(?:on|to"
        r"|at|until|for|by|from) (?:the )?(?:\d|" + _MONTH + r"|Mon|Tue|Wed|Thu|Fri|Sat|Sun|tomorrow|next)",
    ),
    rule(
        "fact",
        0.7,
        (
            rf"{_I}{_ADVERB}(?:lives?|lived|works?|worked|study|studies|studied|grew up|commutes?|teach(?:es)?"
            rf"|taught|speaks?|plays?|drives?|owns?|runs|rents?|volunteers?|owes?|weighs?|sleeps?|smokes?"
            rf"|wears?|majored|trains?|collects?|bake[sd]?|knits?|garden|paints?|sings?|earns?|practi[sc]es?"
            rf"|attends?|belongs?|suffers?)\b"
        ),
        (
            rf"{_I}{_ADVERB}(?:bought|sold|lost|won|broke|finished|started|began|joined|founded|signed|booked"
            rf"|visited|met|inherited|planted|ordered|rescued|passed|failed|married|learned|learnt|returned"
            rf"|travelled|traveled|flew|ran|hiked|got) (?!it\b|this\b|that\b|them\b|an error|the error|stuck"
            rf"|it working)\w+"
        ),
        (
            rf"\b(?:I|we|he|she|they) (?:only |also |still |now |currently )?(?:have|has|had|got|'ve got|keep"
            rf"|keeps) (?:about |over |almost |exactly )?(?:{_ARTICLE}|no|some|several|many"
            rf"|twins) (?!questions?\b|ideas?\b|problems?\b|issues?\b|doubts?\b|feeling\b|look\b|bugs?\b"
            rf"|errors?\b|quick\b|request\b|suggestion\b|few (?:more )?questions\b|hard time\b|clue\b)\w+"
        ),
        r"\b(?:I've|we've|I have|we have) (?:been|lived|worked|known|had|owned|never|always)\b",
        (
            rf"{_SELF}(?:not )?(?:now |currently |originally |actually |also )?(?:an? (?!bit\b|little\b|lot\b"
            rf"|idea\b)\w+|from|based|working (?:at|as|for|in|on)|living|studying|married|divorced|single"
            rf"|engaged|widowed|retired|unemployed|left-handed|right-handed|colou?r-?blind|bilingual"
            rf"|training for|learning|saving (?:up )?for|moving|getting|expecting|travelling|traveling|flying"
            rf"|visiting|responsible for|in charge of|on (?:a )?(?:\w+ )?(?:diet|leave|medication|holiday"
            rf"|vacation|sabbatical)|[1-9]\d?)\b"
        ),
        (
            rf"\b(?:my|our) (?!{_WORK_NOUN})(?:[\w'-]+ ){{1,6}}(?:is|are|was|were|has|have|had|lives?|works?"
            rf"|likes?|loves?|hates?|starts?|ends?|costs?|died|moved|turned|broke|arrives?|leaves?|comes?|goes"
            rf"|got|wants?|needs?|plays?|studies|speaks)\b"
        ),
        rf"\b(?:my|our) (?!{_WORK_NOUN})(?:[\w-]+ ){{0,3}}\w+'s \w+",
        (
            r"\bI (?:want|plan|hope|intend|aim|dream|need) to (?:learn|visit|move|become|buy|start|quit|study"
            r"|travel|lose|run|save|read|see a doctor|retire|apply|marry)\b"
        ),
        (
            r"\bwe (?:moved|changed|renamed|shifted|replaced|postponed|cancelled|canceled|hired|use|run on"
            r"|deploy|release|ship)\b"
        ),
    ),
    rule(
        "entity",
        0.65,
        r"^(?!(?i:this|that|it|there|here|the|what|who|where|when|why|how|you|your|which|these|those|everything"
        r"|nothing|something|anything|looks?|sounds?|so|and|but|or|if|as|all|some|one|no|yes|ok|okay|now|then"
        r"|today|maybe|can|could|would|should|will|is|are|do|does|please|thanks|line|test|tests|code|build"
        r"|error|output|result|step|option|file)\b)"
        r"(?-i:[A-Z][\w'’-]+(?: (?:and )?[A-Z][\w'’-]+){0,3})(?:'s (?:[\w-]+ ){1,4}| )(?:is|are|was|were"
        r"|has|had|lives?|works?|likes?|loves?|hates?|prefers?|moved|owns?|bought|married|studies|plays?"
        r"|teaches|manages|leads|joined|left|turned|speaks|drives|wants|got|visited|said|called)\b",
    ),
    # The wide net: told in the first person, or with a detail nobody could guess.
    rule(
        "fact",
        0.6,
        (
            rf"^(?!.*\b{_WORK}).*?{_BREAK}{_LEAD}(?:I|we|my family and I)(?:'m|'ve|'d"
            rf"|'re)? {_ADVERB}(?!{_NOT_TOLD})[a-z]+(?:\W+\w+){{2,}}"
        ),
        rf"^(?!.*\b{_WORK}){_LEAD}(?:just |still |finally |recently ){{0,2}}(?:been \w+ing|(?:lost|got|started"
        rf"|finished|moved|bought|sold|won"
        r"|joined|quit|passed|signed up|working on|learning|reading|training|planning|saving|living"
        r"|studying|expecting)) \w+",
        rf"^(?!.*\b{_WORK})(?=.*{_DETAIL})(?:[\w'’-]+[ ,]+){{3,}}",
    ),
    rule(
        "other",
        0.55,
        rf"^(?!.*\b{_WORK})(?!.* {_PASSING}\W*$)(?!.*\bweather\b){_LEAD}(?:the|our|his|her"
        rf"|their) (?:[\w'’-]+ ){{1,5}}"
        r"(?:is|are|was|were|lives?|comes?|opens?|closes?|costs?|belongs?|takes?|needs?) (?:[\w'’-]+\W+){1,}",
    ),
)

ENGLISH: Final = LanguageRules(
    rules=_RULES,
    remember=re.compile(
        r"(?:(?:please|pls|hey|ok|okay|so|and|also|oh)[, ]+){0,3}(?:(?:can|could|would|will) you (?:please )?)?"
        r"(?:(?:always )?remember(?! to\b)(?: (?:that|this|the following|for me|for later))?"
        r"|keep in mind(?: that)?|bear in mind(?: that)?"
        r"|(?:don't|do not) (?:ever )?forget(?! to\b)(?: that)?|(?:make|take) a (?:mental )?note(?: that| of)?"
        r"|note(?: down)?(?: that)?(?=[ :,])|for (?:future|your) (?:reference|information)|fyi"
        r"|remind me that|(?:store|save) (?:this|that|it)(?: (?:in|to) (?:your )?memory)?)\b[ ,:;-]*",
        re.IGNORECASE,
    ),
    question=re.compile(
        r"\?[\s\"')\]*_]*$|^(?:(?:so|and|but|ok|okay|well|hey|hi|also|then|or|wait|sorry|remind me)[, ]+)?(?:"
        # A question word before a pronoun is no question: "when I was younger", "what I like is tea".
        r"(?:what|who|whom|whose|where|when|why|how|which) (?:do|does|did|is|are|was|were|can|could|would|should"
        r"|will|to|much|many|long|often|about|if|come|not|the|my|your)\b"
        rf"|(?:what|who|whom|whose|where|when|why|how|which)(?! {_PRONOUN}\b) (?:\w+ ){{0,3}}{_AUXILIARY} {_PRONOUN}\b"
        rf"|(?:what|who|where|when|how)['’]?s {_OWNER}\b"
        rf"|{_AUXILIARY} {_PRONOUN}\b"
        r"|(?:do|does|did|is|are|was|were|can|could|would|should|will|has|isn't|aren't|wasn't|weren't|doesn't|didn't"
        r"|hasn't|won't) (?:it|the|there|this|that|my|your|our)\b)"
        r"|^(?:tell me|any (?:idea|chance|news)|wonder if|i wonder|i was wondering)\b"
        # Asked in passing: "I forgot where I live", "my dog is called what", "I live where again".
        r"|\bI(?: have|'ve)? (?:forgot(?:ten)?|keep forgetting|wonder"
        r"|(?:can't|cannot|don't|do not) (?:quite )?(?:remember|recall)"
        r"|(?:want|need|would like)(?:ed)? to know|(?:am|was) wondering)(?: again| exactly)?"
        r" (?:what|whom?|whose|where|when|which|why|how(?! to\b)|if|whether)\b"
        r"|\b(?:is|are|was|am|called|named|to|in|at|on|from|of|with|for|by|than)"
        r" (?:what|whom?|where|when|which)[\s.!]*$"
        r"|\b(?:what|whom?|where|when|which) again[\s.!]*$",
        re.IGNORECASE,
    ),
    asked_part=re.compile(
        r"^(?:(?:so|and|but|or|then) )?(?:(?:in|at|on|for|to|from|with|of|by|since|until|about) )?"
        rf"(?:which|whose|what|whom|how (?:many|much|old|long|far|often|tall))(?! {_PRONOUN}\b)",
        re.IGNORECASE,
    ),
    command=re.compile(
        r"(?:(?:please|pls|plz|now|then|and|ok|okay|so|also|first|next|just|kindly|hey|alright|great|good|cool"
        r"|yes|no|can you|could you|would you|will you|i(?:'d| would) like you to|i want you to|i need you to"
        r"|let's|lets|go ahead and|try to|you (?:can|should|need to|must|have to))[, ]+){0,4}"
        r"(?:please|(?:add|analy[sz]e|answer|apply|ask|attach|book|build|buy|calculate|call(?! me)|cancel"
        r"|change|check|clean|close|commit|compare|compile|complete|continue|convert|copy|create|debug"
        r"|delete|deploy|describe|do|document|draft|edit|email|ensure|explain|extract|fetch|figure out|fill"
        r"|find|finish|fix|follow|format|generate|get|give|go(?! (?:with|for)\b)|grep|help|hold|implement"
        r"|import|improve|include|insert|install|investigate|keep going|list|load|look|look up|make|merge"
        r"|mock|move|open|order|paste|play|plan|post|print|proceed|provide|publish|pull|push|put|read"
        r"|rebase|recommend|redo|refactor|remove|rename|repeat|replace|reply|research|reset|restart|retry"
        r"|return|review|revert|rewrite|run|schedule|search|send|set|share|show|simplify|solve|sort|split"
        r"|start|stop|suggest|summari[sz]e|switch|take|tell|test|translate|try|turn|type|undo|update|upload"
        r"|use|verify|view|wait|walk me|write)\b(?! (?:is|are|was)\b))",
        re.IGNORECASE,
    ),
    standing=re.compile(
        r"\bfrom now on\b|\bin (?:the )?future\b|\bgoing forward\b|\bevery time\b|\bwhenever\b|\bcall me\b"
        r"|\baddress me\b"
        r"|^(?:please )?(?:always|never|don't ever|do not ever)\b|\b(?:don't|do not|stop"
        r"|never) [^.!?]{1,80}(?:again|any ?more)\b"
        r"|\b(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)? (?:only )?in [A-Z]|\balways (?:use"
        r"|write|run|ask|answer|reply|put|start|add|check|keep)\b",
        re.IGNORECASE,
    ),
    hypothetical=re.compile(
        (
            r"(?:(?:and|but|so|or)[, ]+)?(?:if|whether|suppose|supposing|imagine|assuming|unless|what if"
            r"|in case|say i)\b"
        ),
        re.IGNORECASE,
    ),
    small_talk=re.compile(
        r"\W*(?:(?:hi|hello|hey|yo|hiya|good (?:morning|afternoon|evening|night)|morning|night|bye|goodbye"
        r"|see you|see ya|thanks|thank you|thx|ty|cheers"
        r"|ok|okay|k|yes|yeah|yep|yup|sure|no|nope|nah|great|good|nice|cool|perfect|awesome|amazing|excellent"
        r"|brilliant|wow|lovely|right|exactly|agreed|done|fine|alright"
        r"|lol|haha+|hmm+|oh|ah|well|so|very|really|much|a lot|that|this|it|is|was|works?|worked|looks?|sounds?"
        r"|for (?:the|your|that|this)(?: help)?|you|job|work|one|idea|point"
        r"|got it|i see|i understand|no (?:problem|worries|thanks)|never ?mind|my bad|sorry|please|welcome"
        r"|you're welcome|the best|love|like|i|there|everyone|all|again|then|now|later|tomorrow|today"
        r"|how are|doing|going|go|on|continue|same|here|makes sense|of course|not|bad|too|to|do"
        r"|be)[\s,!.;:…-]*){1,12}",
        re.IGNORECASE,
    ),
)
